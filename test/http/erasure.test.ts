import { beforeAll, describe, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { storedObjects } from "../support/stored-objects.ts";
import { useSharedService } from "../support/use-service.ts";

const service = await useSharedService();
const provider = simulatedProvider(service);

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

const webhook = { type: "webhook", name: "SOC", url: "https://soc.example.com/hooks/of-the-erased" };

/** A destination with a delivery, and an export of the events. @returns the key of the export's file */
const leaveMore = async (organization: ReturnType<typeof organizationOf>, claims?: object): Promise<string> => {
  const { body: destination } = await organization.call("POST", "notifications", webhook, claims);
  await organization.call("POST", `notifications/${(destination as { id: string }).id}/test`, {}, claims);
  const { body: requested } = await organization.call("POST", "security/exports", { format: "ndjson" }, claims);
  const url = await eventually("the export has a file", async () => {
    const { body } = await organization.call("GET", `security/exports/${(requested as { id: string }).id}`);
    return (body as { files: { url?: string }[] }).files[0]?.url;
  });
  return decodeURIComponent(new URL(url).pathname.split("/").slice(2).join("/"));
};

/** Both scopes run at the same time, because each erasure waits some seconds. */
describe("an erasure", () => {
  let all: ReturnType<typeof organizationOf>;
  let others: ReturnType<typeof organizationOf>;
  let ofUser: ReturnType<typeof organizationOf>;
  let othersRecords: unknown;
  let fileKey: string;
  let asked: Awaited<ReturnType<ReturnType<typeof erasuresOf>["request"]>>;
  let askedOfUser: typeof asked;

  beforeAll(async () => {
    all = organizationOf(service, "erase-all");
    others = organizationOf(service, "erase-all-others");
    ofUser = organizationOf(service, "erase-user");
    await all.connect((await provider.account(20, { seed: "erase" })).apiKey);
    await others.connect((await provider.account(8, { seed: "others" })).apiKey);
    await ofUser.call("GET", "security", undefined, { userId: "bob-the-leaver", role: "guest" });
    await ofUser.call("PUT", "settings", { recordAccess: { member: ["invoices"] } }, { userId: "bob-the-leaver" });
    await leaveMore(ofUser, { userId: "bob-the-leaver" });
    expect(JSON.stringify(await ofUser.events())).toContain("bob-the-leaver");
    askedOfUser = await erasuresOf(ofUser).request({ scope: "user", userId: "bob-the-leaver" });
    await Promise.all([all.lastRun(), others.lastRun()]);
    fileKey = await leaveMore(all);
    expect((await storedObjects(service, "exports", fileKey)).size).toBe(1);
    othersRecords = await others.records("customers");
    asked = await erasuresOf(all).request({ scope: "all", reason: "we leave" });
  });

  it("of all removes records, credentials and personal data, proves it, and lets another account connect", async () => {
    expect(asked).toMatchObject({
      status: 202,
      body: { scope: "all", status: "requested", requestedBy: "ada", requestedAt: expect.any(Number) },
    });
    const { id, requestedAt, dueAt } = asked.body as Erasure & { requestedAt: number; dueAt: number };
    expect(dueAt - requestedAt).toBeLessThanOrEqual(30 * 86_400_000);
    const proof = await completed(all, id);
    expect(proof).toMatchObject({ completedAt: expect.any(Number), removed: { records: expect.any(Number) } });
    expect(proof.removed.records).toBeGreaterThan(0);

    for (const type of ["customers", "subscriptions", "invoices", "payments"])
      expect(await all.records(type)).toEqual([]);
    expect((await all.call("GET", "connection")).body).toMatchObject({ status: "disconnected" });
    for (const list of ["notifications", "security/exports"]) expect((await all.call("GET", list)).body).toEqual([]);
    expect((await storedObjects(service, "exports", fileKey)).size).toBe(0);
    const events = await all.events();
    expect(events.filter((event) => Number(event.timestamp) < requestedAt && event.userId !== undefined)).toEqual([]);
    expect(events.some(({ eventType, action }) => /erasure/i.test(`${eventType} ${action}`))).toBe(true);
    expect(await others.records("customers")).toEqual(othersRecords);
    expect((await all.connect((await provider.account(4, { seed: "next" })).apiKey)).status).toBe(200);
  });

  it("of a user removes the id from every answer", async () => {
    const proof = await completed(ofUser, (askedOfUser.body as Erasure).id);
    expect(proof).toMatchObject({ scope: "user", removed: { records: 0 } });
    expect(proof.removed.events).toBeGreaterThan(0);
    const kept = ["security?limit=1000", "security/alert", "settings", "erasure", "circuit-breaker", "sync"];
    for (const path of [...kept, "notifications", "security/exports"])
      expect((await ofUser.call("GET", path)).text).not.toContain("bob-the-leaver");
  });

  it("is the same for the same Idempotency-Key, and not visible to another organization", async () => {
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
  ])("is not accepted from %j", async (body, field) => {
    const answer = await erasuresOf(organizationOf(service, "erase-bad")).request(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 40002, message: expect.stringContaining(field) } });
  });

  it.each(["billing", "member", "guest"])("is not allowed for the role %s", async (role) => {
    const ours = organizationOf(service, "erase-roles");
    expect((await ours.call("POST", "erasure", { scope: "all" }, { role })).status).toBe(403);
    expect((await ours.call("GET", "erasure", undefined, { role })).status).toBe(403);
  });
});
