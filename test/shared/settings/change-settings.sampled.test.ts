import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import { sanitiseMetadata } from "../../../shared/security/redaction/redact-and-cut.ts";
import { createChangeSettings } from "../../../shared/settings/change-settings.ts";
import { defaultSettings, type Settings } from "../../../shared/settings/settings.ts";
import { SettingsRequest } from "../../../shared/settings/settings-request.ts";
import { createSettingsStore, type SettingsStore } from "../../../shared/settings/settings-store.ts";
import { deepIt } from "../../support/deep-it.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useTable } from "../../support/use-table.ts";

quietLog();

const NOW = Date.UTC(2026, 10, 21, 12);

const store = createSettingsStore(useTable("settings"));

let organizations = 0;
let organizationId = "";
beforeEach(() => {
  organizationId = `acme ${++organizations}`;
});

const access = (member: Settings["recordAccess"]["member"] = [], guest: Settings["recordAccess"]["guest"] = []) => ({
  member,
  guest,
});

/** An instance of the function with a caller at 192.0.2.7. Events are kept by id, so repeated ones count once. */
const instance = (overrides: Partial<SettingsStore> = {}, ipAddress = "192.0.2.7") => {
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const change = createChangeSettings({ store: { ...store, ...overrides }, recorder: { record }, now: () => NOW });
  const put = (settings: Settings) =>
    change(settings, {
      caller: { organizationId, userId: "ada", sessionId: "session-1" },
      origin: { requestId: "request-1", ipAddress, userAgent: "curl" },
    });
  return { put, record };
};
const identities = ({ mock }: ReturnType<typeof instance>["record"]) =>
  mock.calls.map(([, moment]) => `${moment?.timestamp} ${Buffer.from(moment?.identity ?? []).toString("hex")}`);

describe("a change of settings", () => {
  it("applies at once, and its event names the user, and each list before and after", async () => {
    const { put, record } = instance();
    const wanted = { ...defaultSettings, ipAllowlist: ["192.0.2.0/24"], recordAccess: access(["invoices"]) };
    await expect(put(wanted)).resolves.toEqual(wanted);
    await expect(store.read(organizationId)).resolves.toEqual(wanted);
    expect(record.mock.calls).toEqual([
      [
        {
          eventType: "SETTINGS_CHANGED",
          category: "compliance",
          riskLevel: "MEDIUM",
          source: "user",
          organizationId,
          userId: "ada",
          sessionId: "session-1",
          ipAddress: "192.0.2.7",
          userAgent: "curl",
          resource: "settings",
          resourceType: "provider_account",
          action: "change_settings",
          success: true,
          metadata: {
            requestId: "request-1",
            ipAllowlist: { from: [], to: ["192.0.2.0/24"] },
            "recordAccess.member": { from: [], to: ["invoices"] },
          },
        },
        { timestamp: NOW, identity: expect.any(Uint8Array) },
      ],
    ]);
    await put({ ...wanted, recordAccess: access(["invoices"], ["customers"]) });
    expect(record.mock.calls[1]?.[0].metadata).toEqual({
      requestId: "request-1",
      "recordAccess.guest": { from: [], to: ["customers"] },
    });
    expect(new Set(identities(record)).size).toBe(2);
  });

  it("to the same settings is no change", async () => {
    const { put, record } = instance();
    await expect(put(defaultSettings)).resolves.toEqual(defaultSettings);
    expect(record).not.toHaveBeenCalled();
    const ipAllowlist = ["192.0.2.0/24", "10.0.0.0/8"];
    const wanted = { ...defaultSettings, ipAllowlist, recordAccess: access(["invoices", "payments"]) };
    for (let i = 0; i < 3; i++) await put(wanted);
    expect(record).toHaveBeenCalledTimes(1);
    await put({ ...wanted, ipAllowlist: ["10.0.0.0/8", "192.0.2.0/24"] });
    expect(record).toHaveBeenCalledTimes(2);
  });

  it("of the feed leaves an event with the switch before and after", async () => {
    const { put, record } = instance();
    await put({ ...defaultSettings, siemFeed: true });
    await put({ ...defaultSettings, siemFeed: true });
    expect(record.mock.calls.map(([{ metadata }]) => metadata)).toEqual([
      { requestId: "request-1", siemFeed: { from: ["off"], to: ["on"] } },
    ]);
    await expect(store.read(organizationId)).resolves.toMatchObject({ siemFeed: true });
  });

  it.each([
    ["192.0.2.7", ["192.0.3.0/24"]],
    ["192.0.2.7", ["::/0"]],
    ["2001:db8::7", ["0.0.0.0/0"]],
    ["unknown", ["0.0.0.0/0", "::/0"]],
  ])("that would lock out its author at %s by %j is refused, and nothing is stored", async (address, ipAllowlist) => {
    const { put, record } = instance({}, address);
    await expect(put({ ...defaultSettings, ipAllowlist })).rejects.toMatchObject({
      code: "author_locked_out",
      message: expect.stringContaining(address),
    });
    await expect(store.readStored(organizationId)).resolves.toMatchObject({ version: undefined });
    expect(record).not.toHaveBeenCalled();
  });

  it.each([
    ["192.0.2.7", ["192.0.2.0/24"]],
    ["::ffff:192.0.2.7", ["192.0.2.0/24"]],
    ["192.0.2.7", ["2001:db8::/32", "::ffff:c000:200/120"]],
    ["2001:db8::7", ["2001:db8::/32"]],
    ["unknown", []],
  ])("is allowed from %s by %j", async (address, ipAllowlist) => {
    const { put } = instance({}, address);
    await expect(put({ ...defaultSettings, ipAllowlist, recordAccess: access(["invoices"]) })).resolves.toMatchObject({
      ipAllowlist,
    });
  });

  it("has an event of at most 2 KB with the added and removed elements of long lists", async () => {
    const { put, record } = instance();
    const many = [
      "192.0.2.7/32",
      ...Array.from({ length: 98 }, (_, i) => `2001:db8:1234:5678:9abc:def0:1234:${i}/128`),
    ];
    await put({ ...defaultSettings, ipAllowlist: many });
    await put({ ...defaultSettings, ipAllowlist: [...many.slice(0, 98), "10.0.0.0/8"] });
    const [, second] = record.mock.calls.map(([event]) => event.metadata);
    expect(second).toEqual({
      requestId: "request-1",
      ipAllowlist: { added: ["10.0.0.0/8"], removed: [many[98]] },
    });
    // Addresses are not card numbers, so the event does not redact them.
    expect(sanitiseMetadata(second)).toEqual(second);
    expect(JSON.stringify(sanitiseMetadata(record.mock.calls[0]?.[0].metadata)).length).toBeLessThanOrEqual(2_048);
  });
});

describe("concurrent changes", () => {
  it("apply one after another: each event starts from the previous settings, and there is one per change", async () => {
    const instances = Array.from({ length: 8 }, () => instance());
    const wanted = instances.map((_, i) => ({ ...defaultSettings, ipAllowlist: ["192.0.2.7/32", `10.${i}.0.0/16`] }));
    const results = await Promise.allSettled(instances.map(({ put }, i) => put(wanted[i] ?? defaultSettings)));
    const done = results.filter(({ status }) => status === "fulfilled").length;
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "store_unavailable" });
    }
    const events = new Map(
      instances.flatMap(({ record }) =>
        record.mock.calls.map(([event], i) => [identities(record)[i], event.metadata?.ipAllowlist]),
      ),
    );
    expect(events.size).toBe(done);
    const steps = [...events.values()] as { from: string[]; to: string[] }[];
    const after = new Map(steps.map(({ from, to }) => [from.join(), to]));
    let at: string[] = [];
    for (let i = 0; i < done; i++) at = after.get(at.join()) ?? ["a gap"];
    await expect(store.read(organizationId)).resolves.toMatchObject({ ipAllowlist: at });
  });

  it("that are equal are one change", async () => {
    const instances = Array.from({ length: 8 }, () => instance());
    const wanted = { ...defaultSettings, ipAllowlist: ["192.0.2.7/32"] };
    await Promise.all(instances.map(({ put }) => expect(put(wanted)).resolves.toEqual(wanted)));
    const all = instances.flatMap(({ record }) => identities(record));
    expect(new Set(all).size).toBe(1);
  });

  deepIt("fail if other changes always come first", async () => {
    const { put, record } = instance({ replace: async () => undefined });
    await expect(put({ ...defaultSettings, ipAllowlist: ["192.0.2.7/32"] })).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(record).not.toHaveBeenCalled();
  });
});

describe("an instance that crashes between a change and its event", () => {
  const dead = () => Promise.reject(new DomainError("store_unavailable", "gone"));

  it("leaves the event to the next PUT, the same or another", async () => {
    const wanted = { ...defaultSettings, ipAllowlist: ["192.0.2.7/32"] };
    const dying = instance();
    dying.record.mockImplementation(dead);
    await expect(dying.put(wanted)).rejects.toThrow();
    await expect(store.read(organizationId)).resolves.toEqual(wanted);

    const again = instance();
    await expect(again.put(wanted)).resolves.toEqual(wanted);
    expect(again.record.mock.calls.map(([event]) => event)).toEqual(dying.record.mock.calls.map(([event]) => event));
    expect(identities(again.record)).toEqual(identities(dying.record));
    await again.put(wanted);
    expect(again.record).toHaveBeenCalledTimes(1);
  });

  it("has no effect if the event was recorded but not marked", async () => {
    const wanted = { ...defaultSettings, ipAllowlist: ["192.0.2.7/32"] };
    const dying = instance({ forgetChange: dead });
    await expect(dying.put(wanted)).resolves.toEqual(wanted);
    const next = instance();
    await next.put(defaultSettings);
    expect(identities(next.record)[0]).toBe(identities(dying.record)[0]);
    expect(next.record).toHaveBeenCalledTimes(2);
  });
});

describe("the body of PUT", () => {
  it.each([
    [{}, defaultSettings],
    [{ siemFeed: true }, { ...defaultSettings, siemFeed: true }],
    [{ recordAccess: {} }, defaultSettings],
    [
      { ipAllowlist: ["10.0.0.0/8"], recordAccess: { guest: ["payments"] }, more: 1 },
      { ...defaultSettings, ipAllowlist: ["10.0.0.0/8"], recordAccess: { member: [], guest: ["payments"] } },
    ],
  ])("replaces all settings: %j", (sent, settings) => {
    expect(SettingsRequest.parse(sent)).toEqual(settings);
  });

  it.each([
    { ipAllowlist: null },
    { ipAllowlist: "10.0.0.0/8" },
    { ipAllowlist: ["10.0.0.1"] },
    { ipAllowlist: Array.from({ length: 101 }, () => "10.0.0.0/8") },
    { recordAccess: null },
    { recordAccess: { member: ["everything"] } },
    { recordAccess: { guest: "invoices" } },
    [],
    null,
  ])("must not be %j", (sent) => {
    expect(SettingsRequest.safeParse(sent).success).toBe(false);
  });
});
