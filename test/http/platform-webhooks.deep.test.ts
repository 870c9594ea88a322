/** The webhooks of the platform's endpoint, over HTTP: webhook-deliveries.deep.test.ts has the first of them. */
import { describe, expect, it } from "@jest/globals";
import { eventually, organizationOf } from "../support/integration.ts";
import { grantAccess } from "../support/oauth.ts";
import { useConnected, useService } from "../support/use-service.ts";

const RECEIVED = '{"received":true}';
const MINUTE = 60_000;

const service = await useService();
const { provider, ours, account, sender, customerOf } = useConnected(service, { name: "platform" });

describe("the platform's endpoint", () => {
  const PLATFORM = { path: "-/platform", secret: "whsec_local_platform" };

  const connectByOAuth = async (organization: typeof ours, accountId = account.accountId) => {
    const granted = await grantAccess(organization, accountId);
    return organization.call("PUT", "connection", { method: "oauth", ...granted });
  };
  const eventOf = async (id: string, accountId: string | undefined = account.accountId) => ({
    ...(await sender.customerEvent("created", id)),
    account: accountId,
  });
  const statusOf = async (organization: typeof ours) =>
    ((await organization.call("GET", "connection")).body as { status: string }).status;

  it("acknowledges and counts events of accounts that no organization has connected, or no longer", async () => {
    await ours.call("DELETE", "connection");
    expect(await sender.send(await eventOf("cus_gone"), PLATFORM)).toMatchObject({ status: 200, text: RECEIVED });
    expect(await sender.send(await eventOf("cus_x", "acct_x"), PLATFORM)).toMatchObject({
      status: 200,
      text: RECEIVED,
    });
    const { account: _, ...own } = await eventOf("cus_own");
    expect(await sender.send(own, PLATFORM)).toMatchObject({ status: 200, text: RECEIVED });
    const counted = service.logged().match(/"count":"platform_webhook_unclaimed"[^}]*/g) ?? [];
    expect(counted.some((line) => line.includes(`"accountId":"${account.accountId}"`))).toBe(true);
    expect(counted.some((line) => line.includes('"accountId":"acct_x"'))).toBe(true);
    expect(counted.length).toBeGreaterThanOrEqual(3);
    expect(await customerOf("cus_gone")).toBeUndefined();
    await ours.connect(account.apiKey);
    expect(await sender.send(await eventOf("cus_again"), PLATFORM)).toMatchObject({ status: 200 });
    await eventually("it is connected again", () => customerOf("cus_again"));
  });

  it("loses no event of an account that is connected at the same time", async () => {
    const late = organizationOf(service, `${ours.organizationId}-late`);
    const sending = Array.from({ length: 8 }, async (_, i) => sender.send(await eventOf(`cus_race_${i}`), PLATFORM));
    const [connected, ...answers] = await Promise.all([connectByOAuth(late), ...sending]);
    expect(connected).toMatchObject({ status: 200 });
    for (const answer of answers) expect(answer).toMatchObject({ status: 200 });
    expect(await sender.send(await eventOf("cus_after_connect"), PLATFORM)).toMatchObject({ status: 200 });
    await eventually("the later event is a record", () => customerOf("cus_after_connect", late));
    await late.lastRun();
    expect(await statusOf(late)).toBe("connected");
  });

  it("follows the platform's secret when it is rolled, and is 503 while the secret cannot be read", async () => {
    const rolled = { ...PLATFORM, secret: "whsec_rolled" };
    await sender.send(await eventOf("cus_before_roll"), PLATFORM);
    await provider.platform({ webhookSecret: JSON.stringify([rolled.secret, PLATFORM.secret]) });
    await service.advance(10_000);
    expect(await sender.send(await eventOf("cus_new"), rolled)).toMatchObject({ status: 200 });
    expect(await sender.send(await eventOf("cus_old"), PLATFORM)).toMatchObject({ status: 200 });
    await provider.platform({ webhookSecret: null });
    await service.advance(5 * MINUTE);
    const unavailable = await sender.send(await eventOf("cus_none"), rolled);
    expect(unavailable).toMatchObject({ status: 503 });
    expect(Number(unavailable.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await provider.platform({ webhookSecret: PLATFORM.secret });
    expect(await sender.send(await eventOf("cus_back"), PLATFORM)).toMatchObject({ status: 200 });
    expect(service.logged()).not.toContain("whsec_rolled");
  });

  it("gets the simulator's events of accounts that are connected by OAuth, and ends what they deauthorize", async () => {
    const granted = organizationOf(service, `${ours.organizationId}-granted`);
    await connectByOAuth(granted);
    await granted.lastRun();
    const { objects } = await provider.change(account.accountId, { action: "create_customer" });
    await eventually("the new customer is a record", () => customerOf(objects[0]?.id ?? "", granted));
    await provider.change(account.accountId, { action: "deauthorize" });
    await eventually("the connection ends", async () =>
      (await statusOf(granted)) === "disconnected" ? true : undefined,
    );
    expect(await granted.events("eventType=PROVIDER_CONNECTION_REMOVED")).toMatchObject([{ source: "webhook" }]);
    // The API key of another organization does not depend on the permission.
    expect(await statusOf(ours)).toBe("connected");
  });

  it("is silent for an API key that the provider has not accepted for 24 hours, until it accepts the key", async () => {
    const held = organizationOf(service, `${ours.organizationId}-held`);
    await held.connect(account.apiKey);
    await held.lastRun();
    const shown = async () => (await held.call("GET", "connection")).body as { platformEvents?: boolean };
    expect(await shown()).toMatchObject({ status: "connected", platformEvents: true });
    await held.call("POST", "circuit-breaker", { action: "force_open", reason: "held by an attacker" });
    await sender.send(await eventOf("cus_within_day"), PLATFORM);
    await eventually("an event within 24 hours is a record", () => customerOf("cus_within_day", held));
    await service.advance(24 * 60 * MINUTE, "last");
    expect(await shown()).toMatchObject({ status: "connected", platformEvents: false });
    for (const id of ["cus_revoked", "cus_revoked_2"])
      expect(await sender.send(await eventOf(id), PLATFORM)).toMatchObject({ status: 200, text: RECEIVED });
    await eventually("the others get it", () => customerOf("cus_revoked_2"));
    expect(await customerOf("cus_revoked", held)).toBeUndefined();
    expect(await held.events("eventType=PLATFORM_EVENTS_STOPPED")).toMatchObject([
      { source: "webhook", riskLevel: "MEDIUM", success: false, resource: account.accountId },
    ]);
    expect(service.logged()).toContain('"count":"platform_webhook_withheld"');
    await held.call("POST", "circuit-breaker", { action: "reset" });
    await held.sync();
    expect(await shown()).toMatchObject({ platformEvents: true });
    await sender.send(await eventOf("cus_proved"), PLATFORM);
    await eventually("events arrive again", () => customerOf("cus_proved", held));
  });

  it("does not lock the owner of an account out by 25 connections whose key is dead", async () => {
    const others = Array.from({ length: 25 }, (_, i) => organizationOf(service, `${ours.organizationId}-dead-${i}`));
    const dead = await provider.account(1);
    for (const organization of others) {
      expect(await organization.connect(dead.apiKey)).toMatchObject({ status: 200 });
      await organization.lastRun();
    }
    const owner = organizationOf(service, `${ours.organizationId}-owner`);
    expect(await owner.connect(dead.apiKey)).toMatchObject({ status: 409, body: { error: 40907 } });
    const fault = await provider.fail(dead.accountId, { kind: "error", status: 401 });
    await Promise.all(others.slice(0, 2).map((organization) => organization.sync()));
    await provider.recover(fault);
    expect(await statusOf(others[0] ?? owner)).toBe("needs_reconnect");
    expect(await owner.connect(dead.apiKey)).toMatchObject({ status: 200 });
  });
});
