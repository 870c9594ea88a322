import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, jest } from "@jest/globals";
import * as z from "zod/mini";
import { createEraseReportsStore } from "../../../shared/reports/erase.ts";
import { createReportLinker, createReportLinkOpener, LINK_LIFE_MS } from "../../../shared/reports/report-link.ts";
import { createReportLinkStore } from "../../../shared/reports/report-link-store.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createSealing } from "../../../shared/runtime/sealing.ts";
import type { Recorder } from "../../../shared/security/recorder.ts";
import type { OrganizationCaller } from "../../../shared/terms/caller.ts";
import type { RequestIdentity } from "../../../shared/terms/idempotency-key.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { useDatabase } from "../../support/use-table.ts";
import { SATURDAY } from "./samples.ts";

const TABLE = "reports";
const ID = "compliance-2026-11-21";
const origin = { requestId: "r", ipAddress: "192.0.2.1" };

const database = useDatabase(TABLE);
let organizations = 0;

/** An organization of its own, which has compliance reports and no reviews. */
const createWorld = () => {
  const organizationId = `organization ${++organizations}`;
  const ada: OrganizationCaller = {
    userId: "ada",
    organizationId,
    role: "admin",
    sessionId: "s",
    scope: `org:${organizationId}`,
  };
  const time = { now: SATURDAY };
  const client = database.running().documentClient();
  const table = database.table(TABLE, client);
  const links = createReportLinkStore(table);
  const read = jest.spyOn(links, "read");
  const record = jest.fn<Recorder["record"]>(async () => undefined);
  const whileCreating = jest.fn<() => Promise<void>>(async () => undefined);
  const reports = {
    erasedTimes: createReportStore(table, { retentionDays: 90 }).erasedTimes,
    has: async (id: string, { kind }: { kind: string }) => {
      await whileCreating();
      return id === organizationId && kind === "compliance";
    },
  };
  const sealing = createSealing("the secret of this deployment, or longer");
  const dependencies = { links, sealing, now: () => time.now };
  const createLink = createReportLinker({ ...dependencies, reports, recorder: { record } });
  let requests = 0;
  return {
    ada,
    time,
    client,
    read,
    record,
    sealing,
    whileCreating,
    erase: createEraseReportsStore(table).invalidateBegun,
    open: createReportLinkOpener(dependencies),
    link: (
      id = ID,
      {
        caller = ada,
        address = `https://api.example/api/integrations/provider/reports/${id}/link`,
        identity = {},
      }: { caller?: OrganizationCaller; address?: string; identity?: Partial<RequestIdentity> } = {},
    ) => {
      const own = { id: `request ${++requests}`, at: time.now, isKeyed: false, isRepeated: false };
      return createLink(id, { caller, origin, identity: { ...own, ...identity }, address });
    },
    stored: async () => {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: TABLE,
          ConsistentRead: true,
          KeyConditionExpression: "#scope = :scope",
          ExpressionAttributeNames: { "#scope": "scope" },
          ExpressionAttributeValues: { ":scope": organizationKey(organizationId) },
        }),
      );
      return Items;
    },
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
    const { ada, link, open, time, record } = createWorld();
    const made = await link(ID, { identity: { id: "one" } });
    expect(made.expiresAt).toBe(SATURDAY + LINK_LIFE_MS);
    await link(ID, { identity: { id: "one" } });
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

  it("is stored once for each request until it ends, without data; that costs one write unit, opening two read units", async () => {
    const { client, link, open, stored, time } = createWorld();
    const measure = countUnits(client);
    const identity = { id: "one", at: SATURDAY };
    const first = await link(ID, { identity });
    time.now += 60_000;
    let repeated = first;
    expect((await measure(async () => (repeated = await link(ID, { identity })))).write).toBe(1);
    expect(await stored()).toEqual([
      {
        scope: expect.anything(),
        key: expect.stringMatching(/^link#[\w-]{22}$/),
        ttl: (SATURDAY + LINK_LIFE_MS) / 1_000,
      },
    ]);
    expect(repeated.expiresAt).toBe(first.expiresAt);
    for (const made of [first, repeated]) {
      expect(await measure(() => open(ID, keyOf(made)))).toEqual({ read: 2, write: 0 });
    }
    await link();
    expect(await stored()).toHaveLength(2);
  });

  it.each([
    "https://api.example/api/integrations/provider/reports/x/",
    "https://api.example/v1/api/integrations/provider/reports/x/",
    "http://127.0.0.1:3000/api/integrations/provider/reports/x/",
  ])("is under the address that was called: %s", async (base) => {
    const { url } = await createWorld().link(ID, { address: `${base}link` });
    expect(url.split("?")[0]).toBe(`${base}page`);
  });

  it("is no link for another report, and none if it was altered; neither costs a call of the store", async () => {
    const { link, open, read } = createWorld();
    const key = keyOf(await link());
    expect(await codeOf(open("review-2026-11-16", key))).toBe("link_not_found");
    for (let at = 0; at < key.length; at += 7) {
      const altered = key.slice(0, at) + (key[at] === "A" ? "B" : "A") + key.slice(at + 1);
      expect(await codeOf(open(ID, altered))).toBe("link_not_found");
    }
    for (const forged of ["", "x", `${key}A`, key.slice(1)])
      expect(await codeOf(open(ID, forged))).toBe("link_not_found");
    expect(read).not.toHaveBeenCalled();
  });

  it("cannot be made or altered with the sealing key alone", async () => {
    const [{ link, open, sealing }, other] = [createWorld(), createWorld()];
    const binding = { scope: "report-link", query: ID };
    const opened = sealing.open(binding, z.record(z.string(), z.unknown()), keyOf(await link()));
    if (opened.is !== "ours") throw new Error("The test cannot open the link.");
    const content = opened.position;
    expect(await codeOf(open(ID, sealing.seal(binding, content)))).toBe("opened");
    for (const change of [
      { request: "made up" },
      { organizationId: other.ada.organizationId },
      { userId: "eve" },
      { sessionId: "t" },
      { expiresAt: SATURDAY + LINK_LIFE_MS + 1 },
      { erasedTimes: 1 },
    ]) {
      const forged = sealing.seal(binding, { ...content, ...change });
      expect([change, await codeOf(open(ID, forged))]).toEqual([change, "link_not_found"]);
    }
    const elsewhere = "compliance-2026-11-20";
    expect(await codeOf(open(elsewhere, sealing.seal({ ...binding, query: elsewhere }, content)))).toBe(
      "link_not_found",
    );
  });

  it("cannot be replaced by a cursor or an OAuth state, and cannot be one", async () => {
    const { ada, link, open, sealing } = createWorld();
    const { organizationId, userId, scope: own } = ada;
    const content = { organizationId, userId, expiresAt: SATURDAY * 2, erasedTimes: 0, request: "one" };
    for (const binding of [
      { scope: own, query: ID },
      { scope: "report-link", query: "oauth-state" },
    ]) {
      expect(await codeOf(open(ID, sealing.seal(binding, content)))).toBe("link_not_found");
    }
    const { scope } = Object(sealing.open({ scope: own, query: ID }, {} as never, keyOf(await link())));
    expect(scope).toBe("report-link");
  });

  it("ends with any erasure of the organization", async () => {
    const { ada, link, open, erase } = createWorld();
    const before = await link();
    await erase("another organization");
    expect(await codeOf(open(ID, keyOf(before)))).toBe("opened");
    await erase(ada.organizationId);
    expect(await codeOf(open(ID, keyOf(before)))).toBe("link_ended");
    expect(await codeOf(open(ID, keyOf(await link())))).toBe("opened");
  });

  it("ends with an erasure that takes place while it is created", async () => {
    const { ada, link, open, erase, whileCreating } = createWorld();
    whileCreating.mockImplementationOnce(() => erase(ada.organizationId));
    expect(await codeOf(open(ID, keyOf(await link())))).toBe("link_ended");
  });

  it.each([
    ["review-2026-11-16", {}],
    ["compliance-2026-11-21", { organizationId: "other" }],
    ["nonsense", {}],
  ])("is neither created nor stored for a report that does not exist: %s", async (id, change) => {
    const { ada, link, record, stored } = createWorld();
    expect(await codeOf(link(id, { caller: { ...ada, ...change } }))).toBe("report_not_found");
    expect(record).not.toHaveBeenCalled();
    expect(await stored()).toEqual([]);
  });
});
