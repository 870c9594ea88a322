import { describe, expect, it } from "@jest/globals";
import { deepIt } from "../support/deep-it.ts";
import { requestFrom } from "../support/request-from.ts";
import { useOrganizations, useSharedService } from "../support/use-service.ts";

const SETTINGS = "/api/integrations/provider/settings";
const SECURITY = "/api/integrations/provider/security";
const BREAKER = "/api/integrations/provider/circuit-breaker";

const service = await useSharedService();

const ours = useOrganizations(service, "settings-of");
const get = (claims?: object) => ours.call("GET", "settings", undefined, claims);
const put = (body?: object, claims?: object) => ours.call("PUT", "settings", body, claims);
/** The organization's events of a type, oldest first. */
const events = async (eventType: string) => (await ours.events(`eventType=${eventType}`)).reverse();

const defaults = {
  ipAllowlist: [],
  recordAccess: { member: [], guest: [] },
  siemFeed: false,
  accountActivity: true,
  drill: "off",
};
const chosen = {
  ...defaults,
  ipAllowlist: ["127.0.0.0/8", "2001:DB8::/32"],
  recordAccess: { member: ["invoices"], guest: [] },
};

describe("an organization's settings", () => {
  it("are the defaults until they are set, and separate for each organization", async () => {
    expect(await get()).toMatchObject({ status: 200, body: defaults });
    expect(await put({ ...chosen, more: 1 })).toMatchObject({ status: 200, body: chosen });
    expect((await get()).body).toEqual(chosen);
    expect((await get({ organizationId: `${ours.organizationId}x` })).body).toEqual(defaults);
    expect(await put({ recordAccess: { guest: ["payments"] } })).toMatchObject({
      body: { ...defaults, recordAccess: { member: [], guest: ["payments"] } },
    });
    expect(await put()).toMatchObject({ status: 200, body: defaults });
  });

  it.each([
    [{ ipAllowlist: ["127.0.0.1"] }, 400, 40002, "ipAllowlist.0: expected an IPv4 or IPv6 network"],
    [{ ipAllowlist: "127.0.0.0/8" }, 400, 40002, "ipAllowlist: expected a list"],
    [{ recordAccess: { member: ["charges"] } }, 400, 40002, "recordAccess.member.0: expected one of"],
    [{ ipAllowlist: ["192.0.2.0/24"] }, 409, 40906, "127.0.0.1"],
    [{ ipAllowlist: ["::/0"] }, 409, 40906, "127.0.0.1"],
  ])("are not %j", async (body, status, error, message) => {
    await put(chosen);
    expect(await put(body)).toMatchObject({ status, body: { error, message: expect.stringContaining(message) } });
    expect((await get()).body).toEqual(chosen);
  });

  it.each(["billing", "member", "guest"])("are not for the role %s", async (role) => {
    expect(await get({ role })).toMatchObject({ status: 403, body: { error: 40301 } });
    expect(await put(chosen, { role })).toMatchObject({ status: 403, body: { error: 40301 } });
  });

  it("record an event when they change, and none when they do not", async () => {
    await put(chosen);
    await put(chosen);
    await put({ ...chosen, ipAllowlist: ["127.0.0.1/32"] }, { userId: "bob" });
    expect(await events("SETTINGS_CHANGED")).toEqual([
      expect.objectContaining({
        category: "compliance",
        riskLevel: "MEDIUM",
        source: "user",
        userId: "ada",
        ipAddress: "127.0.0.1",
        action: "change_settings",
        success: true,
        metadata: {
          requestId: expect.any(String),
          ipAllowlist: { from: [], to: chosen.ipAllowlist },
          "recordAccess.member": { from: [], to: ["invoices"] },
        },
      }),
      expect.objectContaining({
        userId: "bob",
        metadata: {
          requestId: expect.any(String),
          ipAllowlist: { from: chosen.ipAllowlist, to: ["127.0.0.1/32"] },
        },
      }),
    ]);
  });

  deepIt("record at most one read event per minute and user", async () => {
    for (let i = 0; i < 3; i++) await get();
    await get({ userId: "bob" });
    const reads = await events("DATA_READ");
    expect(reads.map(({ userId, action, category, riskLevel }) => ({ userId, action, category, riskLevel }))).toEqual(
      expect.arrayContaining(
        ["ada", "bob"].map((userId) => ({
          userId,
          action: "read_settings",
          category: "data_access",
          riskLevel: "LOW",
        })),
      ),
    );
    // A new minute may have begun.
    expect(reads.length).toBeLessThanOrEqual(4);
  });

  deepIt("are set one after the other by concurrent requests", async () => {
    const wanted = Array.from({ length: 6 }, (_, i) => ({
      ...defaults,
      ipAllowlist: ["127.0.0.0/8", `10.${i}.0.0/16`],
    }));
    const answers = await Promise.all(wanted.map((body) => put(body)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(await events("SETTINGS_CHANGED")).toHaveLength(done.length);
    expect(wanted).toContainEqual((await get()).body);
  });
});

describe("every endpoint of the integration", () => {
  it("refuses other addresses for every role and records events; plants do not", async () => {
    const token = await ours.as();
    const others = (path: string, method = "GET") => requestFrom(service, "127.0.0.2", [method, path], token);
    expect(await others(BREAKER)).toMatchObject({ status: 200 });
    await put({ ipAllowlist: ["127.0.0.1/32"] });
    const refused = { status: 403, body: { error: 40302, message: expect.stringContaining("127.0.0.2") } };
    expect(await others(BREAKER)).toEqual(refused);
    expect(await others(SECURITY)).toEqual(refused);
    expect(await others(SETTINGS)).toEqual(refused);
    expect(await others(SETTINGS, "PUT")).toEqual(refused);
    expect(await others("/plants")).toMatchObject({ status: 200 });
    expect((await get()).body).toMatchObject({ ipAllowlist: ["127.0.0.1/32"] });
    const denied = await events("PERMISSION_DENIED");
    expect(denied.map(({ resource }) => resource)).toEqual([
      `GET ${BREAKER}`,
      `GET ${SECURITY}`,
      `GET ${SETTINGS}`,
      `PUT ${SETTINGS}`,
    ]);
    for (const event of denied) {
      expect(event).toMatchObject({ ipAddress: "127.0.0.2", userId: "ada", errorCode: "40302", riskLevel: "HIGH" });
    }
    await put({ ipAllowlist: ["127.0.0.0/30"] });
    expect(await others(BREAKER)).toMatchObject({ status: 200 });
  });

  it("admits only the addresses of the list, from the next request on", async () => {
    const token = await ours.as();
    const statuses = async () => [
      (await service.request("GET", BREAKER, { token })).status,
      (await service.request("GET", SECURITY, { token })).status,
      (await service.request("GET", `${SECURITY}/alert`, { token })).status,
    ];
    await put({ ipAllowlist: ["127.0.0.1/32"] });
    expect(await statuses()).toEqual([200, 200, 200]);
    await put({ ipAllowlist: ["::ffff:7f00:0/104"] });
    expect(await statuses()).toEqual([200, 200, 200]);
    await put({ ipAllowlist: [] });
    expect(await statuses()).toEqual([200, 200, 200]);
  });
});
