import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { type ServiceUnderTest, startService } from "../support/service.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";

let service: ServiceUnderTest;
let provider: ReturnType<typeof simulatedProvider>;
beforeAll(async () => {
  service = await startService();
  provider = simulatedProvider(service);
});
afterAll(async () => {
  expect(service.denials).toEqual([]);
  await service.stop();
});

type Erasure = { id: string; status: string; removed: { records: number; events: number } } & Record<string, unknown>;

const erasuresOf = (organization: ReturnType<typeof organizationOf>) => ({
  list: async () => (await organization.call("GET", "erasure")).body as Erasure[],
  request: (body: object, headers?: Record<string, string>) =>
    organization.call("POST", "erasure", body, undefined, headers),
});
const completed = (organization: ReturnType<typeof organizationOf>, id: string) =>
  eventually(`erasure ${id} is completed`, async () =>
    (await erasuresOf(organization).list()).find((erasure) => erasure.id === id && erasure.status === "completed"),
  );

describe("an erasure", () => {
  it("of all takes records, credentials and persons away, proves it, and lets another account connect", async () => {
    const ours = organizationOf(service, "erase-all");
    const others = organizationOf(service, "erase-all-others");
    const { apiKey } = await provider.account(20, { seed: "erase" });
    await ours.connect(apiKey);
    await others.connect((await provider.account(8, { seed: "others" })).apiKey);
    await Promise.all([ours.lastRun(), others.lastRun()]);
    const othersRecords = await others.records("customers");

    const asked = await erasuresOf(ours).request({ scope: "all", reason: "we leave" });
    expect(asked).toMatchObject({
      status: 202,
      body: { scope: "all", status: "requested", requestedBy: "ada", requestedAt: expect.any(Number) },
    });
    const { id, requestedAt, dueAt } = asked.body as Erasure & { requestedAt: number; dueAt: number };
    expect(dueAt - requestedAt).toBeLessThanOrEqual(30 * 86_400_000);
    const proof = await completed(ours, id);
    expect(proof).toMatchObject({ completedAt: expect.any(Number), removed: { records: expect.any(Number) } });
    expect(proof.removed.records).toBeGreaterThan(0);

    for (const type of ["customers", "subscriptions", "invoices", "payments"])
      expect(await ours.records(type)).toEqual([]);
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    const events = await ours.events();
    expect(events.filter((event) => Number(event.timestamp) < requestedAt && event.userId !== undefined)).toEqual([]);
    expect(events.some(({ eventType, action }) => /erasure/i.test(`${eventType} ${action}`))).toBe(true);
    expect(await others.records("customers")).toEqual(othersRecords);
    expect((await ours.connect((await provider.account(4, { seed: "next" })).apiKey)).status).toBe(200);
  });

  it("of a user leaves the id in no answer", async () => {
    const ours = organizationOf(service, "erase-user");
    await ours.call("GET", "security", undefined, { userId: "bob-the-leaver", role: "guest" });
    await ours.call("PUT", "settings", { recordAccess: { member: ["invoices"] } }, { userId: "bob-the-leaver" });
    expect(JSON.stringify(await ours.events())).toContain("bob-the-leaver");

    const { body } = await erasuresOf(ours).request({ scope: "user", userId: "bob-the-leaver" });
    const proof = await completed(ours, (body as Erasure).id);
    expect(proof).toMatchObject({ scope: "user", removed: { records: 0 } });
    expect(proof.removed.events).toBeGreaterThan(0);
    for (const path of ["security?limit=1000", "security/alert", "settings", "erasure", "circuit-breaker", "sync"])
      expect((await ours.call("GET", path)).text).not.toContain("bob-the-leaver");
  });

  it("is the same for the same Idempotency-Key, and another organization's business never", async () => {
    const ours = organizationOf(service, "erase-twice");
    const key = { "idempotency-key": "once" };
    const first = await erasuresOf(ours).request({ scope: "user", userId: "eve" }, key);
    const again = await erasuresOf(ours).request({ scope: "user", userId: "eve" }, key);
    expect((again.body as Erasure).id).toBe((first.body as Erasure).id);
    expect(await erasuresOf(ours).request({ scope: "all" }, key)).toMatchObject({
      status: 409,
      body: { error: 40905 },
    });
    expect(await erasuresOf(organizationOf(service, "erase-none")).list()).toEqual([]);
  });

  it.each([
    [{}, "scope"],
    [{ scope: "some" }, "scope"],
    [{ scope: "user" }, "userId"],
  ])("is not asked for by %j", async (body, field) => {
    const answer = await erasuresOf(organizationOf(service, "erase-bad")).request(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 40002, message: expect.stringContaining(field) } });
  });

  it.each(["billing", "member", "guest"])("is not %s's to ask for", async (role) => {
    const ours = organizationOf(service, "erase-roles");
    expect((await ours.call("POST", "erasure", { scope: "all" }, { role })).status).toBe(403);
    expect((await ours.call("GET", "erasure", undefined, { role })).status).toBe(403);
  });
});
