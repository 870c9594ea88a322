import { describe, expect, it, jest } from "@jest/globals";
import { createReportLinker, createReportLinkOpener, LINK_LIFE_MS } from "../../../shared/reports/report-link.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createSealing } from "../../../shared/runtime/sealing.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import type { OrganizationCaller } from "../../../shared/terms/caller.ts";
import { SATURDAY } from "./samples.ts";

const ID = "compliance-2026-11-21";
const ada: OrganizationCaller = {
  ...({ userId: "ada", organizationId: "acme", role: "admin", sessionId: "s", scope: "org:acme" } as const),
};
const identity = { id: "request", isKeyed: true, isRepeated: false };
const origin = { requestId: "r", ipAddress: "192.0.2.1" };

const createWorld = () => {
  const time = { now: SATURDAY };
  const erased = new Map<string, number>();
  const erasedTimes = jest.fn(async (organizationId: string) => erased.get(organizationId) ?? 0);
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const reports = {
    erasedTimes,
    has: async (organizationId: string, { kind }: { kind: string }) =>
      organizationId === "acme" && kind === "compliance",
  };
  const sealing = createSealing("the secret of this deployment, or longer");
  const dependencies = { reports, sealing, now: () => time.now };
  const link = createReportLinker({ ...dependencies, recorder: { record } });
  return {
    ...{ time, erased, erasedTimes, record, sealing },
    open: createReportLinkOpener(dependencies),
    link: (id = ID, caller = ada, address = `https://api.example/api/integrations/provider/reports/${id}/link`) =>
      link(id, { caller, origin, identity: { ...identity, at: time.now }, address }),
  };
};

const keyOf = ({ url }: { url: string }): string => new URL(url).searchParams.get("key") ?? "";

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
  return "opened";
};

describe("a link to a report", () => {
  it("names its creator for ten minutes, and is recorded", async () => {
    const { link, open, time, record } = createWorld();
    const made = await link();
    expect(made.expiresAt).toBe(SATURDAY + LINK_LIFE_MS);
    await link();
    const [first, repeated] = record.mock.calls;
    expect(first?.[0]).toMatchObject({
      userId: "ada",
      ipAddress: "192.0.2.1",
      action: "create_report_link",
      resource: ID,
    });
    // The same request has the same event.
    expect(repeated).toEqual(first);
    time.now = made.expiresAt - 1;
    expect(await open(ID, keyOf(made))).toEqual({ ...ada, role: "guest" });
    time.now = made.expiresAt;
    expect(await codeOf(open(ID, keyOf(made)))).toBe("link_ended");
  });

  it.each([
    "https://api.example/api/integrations/provider/reports/x/",
    "https://api.example/v1/api/integrations/provider/reports/x/",
    "http://127.0.0.1:3000/api/integrations/provider/reports/x/",
  ])("is under the address that was called: %s", async (base) => {
    const { url } = await createWorld().link(ID, ada, `${base}link`);
    expect(url.split("?")[0]).toBe(`${base}page`);
  });

  it("is no link for another report, and none if it was altered; neither costs a call of the store", async () => {
    const { link, open, erasedTimes } = createWorld();
    const key = keyOf(await link());
    erasedTimes.mockClear();
    expect(await codeOf(open("review-2026-11-16", key))).toBe("link_not_found");
    for (let at = 0; at < key.length; at += 7) {
      const altered = key.slice(0, at) + (key[at] === "A" ? "B" : "A") + key.slice(at + 1);
      expect(await codeOf(open(ID, altered))).toBe("link_not_found");
    }
    for (const forged of ["", "x", `${key}A`, key.slice(1)])
      expect(await codeOf(open(ID, forged))).toBe("link_not_found");
    expect(erasedTimes).not.toHaveBeenCalled();
  });

  it("cannot be replaced by a cursor or an OAuth state, and cannot be one", async () => {
    const { link, open, sealing } = createWorld();
    const content = { organizationId: "acme", userId: "ada", expiresAt: SATURDAY * 2, erasedTimes: 0 };
    for (const binding of [
      { scope: "org:acme", query: ID },
      { scope: "report-link", query: "oauth-state" },
    ]) {
      expect(await codeOf(open(ID, sealing.seal(binding, content)))).toBe("link_not_found");
    }
    const { scope } = Object(sealing.open({ scope: "org:acme", query: ID }, {} as never, keyOf(await link())));
    expect(scope).toBe("report-link");
  });

  it("ends with any erasure of the organization", async () => {
    const { link, open, erased } = createWorld();
    const before = await link();
    erased.set("other", 1);
    expect(await codeOf(open(ID, keyOf(before)))).toBe("opened");
    erased.set("acme", 1);
    expect(await codeOf(open(ID, keyOf(before)))).toBe("link_ended");
    expect(await codeOf(open(ID, keyOf(await link())))).toBe("opened");
  });

  it.each([
    ["review-2026-11-16", ada],
    ["compliance-2026-11-21", { ...ada, organizationId: "other" }],
    ["nonsense", ada],
  ])("is not created for a report that does not exist: %s", async (id, caller) => {
    const { link, record } = createWorld();
    expect(await codeOf(link(id, caller))).toBe("report_not_found");
    expect(record).not.toHaveBeenCalled();
  });
});
