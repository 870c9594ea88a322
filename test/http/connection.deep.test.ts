/** Parts of connection.sampled.test.ts that move the clock, change the platform's secrets or need further runs. */
import { describe, expect, it } from "@jest/globals";
import { organizationOf } from "../support/integration.ts";
import { authorize, grantAccess } from "../support/oauth.ts";
import { simulatedProvider } from "../support/simulated-provider.ts";
import { useFresh, useOrganizations, useService } from "../support/use-service.ts";
import { webhookSender } from "../support/webhook-sender.ts";

const service = await useService();
const provider = simulatedProvider(service);

const ours = useOrganizations(service, "connection");
const account = useFresh((count) => provider.account(4, { seed: `connection-${count}` }));

describe("a connection", () => {
  it("stays as it is if the provider refuses a key once and then accepts it", async () => {
    await ours.connect(account.apiKey);
    await ours.lastRun();
    await provider.fail(account.accountId, { kind: "error", status: 401, times: 1 });
    expect(await ours.sync()).toMatchObject({ status: "succeeded" });
    expect((await ours.call("GET", "connection")).body).toMatchObject({ status: "connected" });
    expect(await ours.events("eventType=AUTHENTICATION_FAILURE")).toEqual([]);
  });

  it("works with the longest ids of an organization and a user", async () => {
    const longest = organizationOf(service, "🌱".repeat(128));
    const userId = "€".repeat(128);
    const connecting = { method: "api_key", apiKey: account.apiKey };
    expect((await longest.call("PUT", "connection", connecting, { userId })).status).toBe(200);
    expect(await longest.lastRun()).toMatchObject({ trigger: "connection", status: "succeeded" });
    expect((await longest.call("GET", "records/customers", undefined, { userId })).status).toBe(200);
    expect((await longest.call("GET", "settings", undefined, { userId, role: "guest" })).status).toBe(403);
    const events = await longest.events(`userId=${encodeURIComponent(userId)}`);
    expect(events.map(({ eventType }) => eventType)).toEqual(
      expect.arrayContaining(["DATA_READ", "PERMISSION_DENIED", "PROVIDER_CONNECTION_ESTABLISHED"]),
    );
  });

  it("accepts another account if no record of the first is stored", async () => {
    const first = await provider.account(1);
    await provider.fail(first.accountId, { kind: "error", status: 403, pathPrefix: "/v1/events" });
    await ours.connect(first.apiKey);
    expect(await ours.lastRun()).toMatchObject({ status: "failed", error: { category: "authorization" } });
    expect(await ours.connect(account.apiKey)).toMatchObject({ status: 200, body: { accountId: account.accountId } });
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
  });
});

describe("webhook secrets that were replaced", () => {
  it("verify for a day more", async () => {
    await ours.connect(account.apiKey, { webhookSecret: "whsec_old" });
    const body = { webhookSecrets: ["whsec_new"] };
    expect(await ours.call("PUT", "connection/webhook-secrets", body)).toMatchObject({ status: 200 });
    const sender = webhookSender(service, ours.organizationId, "whsec_new");
    const deliver = async (secret: string) =>
      (await sender.send(await sender.customerEvent("created", "cus_secret"), { secret })).status;
    expect([await deliver("whsec_new"), await deliver("whsec_old")]).toEqual([200, 200]);
    await service.advance(24 * 3_600_000, "last");
    expect([await deliver("whsec_new"), await deliver("whsec_old")]).toEqual([200, 400]);
    expect(service.logged() + JSON.stringify(await ours.events())).not.toContain("whsec_");
  });
});

describe("a connection by OAuth", () => {
  it("refreshes its token before it expires", async () => {
    const granted = await grantAccess(ours, account.accountId);
    const connected = await ours.call("PUT", "connection", { method: "oauth", ...granted });
    expect(await ours.lastRun()).toMatchObject({ status: "succeeded" });
    const before = (connected.body as { tokenExpiresAt: number }).tokenExpiresAt;
    await service.advance(3_600_000);
    expect(await ours.sync()).toMatchObject({ status: "succeeded", mode: "incremental" });
    const after = (await ours.call("GET", "connection")).body as { tokenExpiresAt: number; status: string };
    expect(after.status).toBe("connected");
    expect(after.tokenExpiresAt).toBeGreaterThan(before);
    expect(await ours.events("eventType=PROVIDER_TOKEN_REFRESH")).toHaveLength(1);
  });

  it("is refused with the same answer for an expired state as for a forged one", async () => {
    const { state } = await authorize(ours);
    const body = { method: "oauth", code: "a-code", state };
    const forged = await ours.call("PUT", "connection", { ...body, state: `${state}x` });
    await service.advance(601_000);
    const expired = await ours.call("PUT", "connection", body);
    for (const refusal of [forged, expired]) expect(refusal).toMatchObject({ status: 400, body: { error: 40004 } });
    expect(expired.text).toBe(forged.text);
  });

  it("uses a rotated secret of the platform while instances live, and answers 503 if it cannot be read", async () => {
    const connect = (granted: object) => ours.call("PUT", "connection", { method: "oauth", ...granted });
    const newGrant = () => grantAccess(ours, account.accountId);
    expect(await connect(await newGrant())).toMatchObject({ status: 200 });
    await provider.platform({ secret: "sk_test_rotated" });
    expect(await connect(await newGrant())).toMatchObject({ status: 200 });
    const granted = await newGrant();
    await provider.platform({ secret: null });
    const unavailable = await connect(granted);
    expect(unavailable).toMatchObject({ status: 503, body: { error: 50301 } });
    expect(Number(unavailable.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await provider.platform({ secret: "sk_test_rotated_again" });
    expect(await connect(granted)).toMatchObject({ status: 200 });
    await ours.lastRun();
    expect(service.logged()).not.toContain("sk_test_rotated");
  });

  it("shows that the account must reconnect after it revokes access", async () => {
    const granted = await grantAccess(ours, account.accountId);
    await ours.call("PUT", "connection", { method: "oauth", ...granted });
    await ours.lastRun();
    // Otherwise the platform's endpoint learns of it first (webhooks).
    await provider.platform({ webhookSecret: null });
    await provider.change(account.accountId, { action: "deauthorize" });
    const run = await ours.sync();
    expect(run.status).toBe("failed");
    const { status } = (await ours.call("GET", "connection")).body as { status: string };
    expect(["needs_reconnect", "disconnected"]).toContain(status);
    expect(await ours.call("POST", "sync")).toMatchObject({ status: 409, body: { error: 40903 } });
  });
});
