import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type Stripe from "stripe";
import { LOCAL_PLATFORM } from "../../../../infra/local/core/platform.ts";
import { listen } from "../../../../infra/local/http/listen.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { usePerTest } from "../../../support/use-started.ts";
import { createFixture, type Happened } from "./simulator-fixture.ts";

const SECRET = "whsec_first";
type Received = { body: string; signature: string; headers: NodeJS.Dict<string | string[]> };

const fixture = usePerTest(createFixture);
let receiver: Server;
let url: string;
let received: Received[];
/** The receiver's next answers; 200 if there are none. */
let answers: number[];

beforeEach(async () => {
  received = [];
  answers = [];
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    received.push({ body, signature: String(request.headers["stripe-signature"]), headers: request.headers });
    response.writeHead(answers.shift() ?? 200).end();
  });
  url = `${(await listen(receiver, 0)).url}/acme`;
});
afterEach(() => {
  expect(fixture.errors).toEqual([]);
  receiver.closeAllConnections();
  receiver.close();
});

const subscribe = (options: Record<string, unknown> = {}) =>
  fixture.request<{ secrets: string[] }>("POST /provider/webhooks", { url, secret: SECRET, ...options });
const change = (body: Record<string, unknown> = { action: "create_customer" }) =>
  fixture.request<Happened>("POST /provider/changes", body);
const flush = () => fixture.request<{ pendingDeliveries: number }>("POST /provider/webhooks/flush");
const verify = ({ body, signature }: Received, secret = SECRET): Stripe.Event =>
  fixture.sdk().webhooks.constructEvent(body, signature, secret, undefined, undefined, fixture.now());
const isSignedWith = (one: Received, secret: string): boolean => {
  try {
    return verify(one, secret).id !== "";
  } catch {
    return false;
  }
};
const idsOf = (all: readonly Received[]) => all.map(({ body }) => (JSON.parse(body) as { id: string }).id);

describe("a webhook", () => {
  it("is signed as the SDK verifies it, and carries the feed's event", async () => {
    await subscribe();
    fixture.pass(90_000);
    const made = await change({ count: 10 });
    expect(idsOf(received).sort()).toEqual(made.events.map(({ id }) => id).sort());
    for (const one of received) {
      const event = verify(one);
      const { pending_webhooks: _, ...listed } = await fixture.sdk().events.retrieve(event.id);
      expect(event).toMatchObject(JSON.parse(JSON.stringify(listed)));
      expect(one.signature).toMatch(new RegExp(`^t=${fixture.nowSeconds()},v1=[0-9a-f]{64},v0=[0-9a-f]{64}$`));
      expect(one.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(() => verify(one, "whsec_other")).toThrow("No signatures found");
    }
    expect(fixture.simulator.pendingDeliveries()).toBe(0);
  });

  it("is signed with each secret while one is being rotated", async () => {
    await subscribe({ secret: undefined, secrets: ["whsec_old", "whsec_new"] });
    await change();
    expect(received).toHaveLength(1);
    for (const one of received) for (const secret of ["whsec_old", "whsec_new"]) verify(one, secret);
  });

  it("gets a generated secret by default", async () => {
    const { secrets } = await subscribe({ secret: undefined });
    await change();
    expect(secrets).toEqual([expect.stringMatching(/^whsec_/)]);
    for (const one of received) verify(one, secrets[0]);
    expect(received).toHaveLength(1);
  });

  it("receives only its account's events of its types, until it is deleted", async () => {
    await subscribe({ enabledEvents: ["customer.updated"] });
    await change();
    await change({ accountId: "acct_1LocalKumoTea", count: 5 });
    expect(received).toEqual([]);
    const [customer] = (await fixture.sdk().customers.list({ limit: 1 })).data;
    await change({ action: "update", id: customer?.id, fields: { name: "Ada" } });
    expect(received).toHaveLength(1);
    await fixture.request("POST /provider/webhooks", { url: null });
    await change({ action: "update", id: customer?.id, fields: { name: "Eve" } });
    expect(received).toHaveLength(1);
  });

  it("names the account for a platform's endpoint, and after deauthorization", async () => {
    await subscribe();
    await change();
    await change({ action: "deauthorize" });
    await subscribe({ connect: true });
    await change();
    expect(received.map((one) => verify(one).account)).toEqual([
      undefined,
      fixture.simulator.demo.accountId,
      fixture.simulator.demo.accountId,
    ]);
    expect(received.map((one) => verify(one).type)[1]).toBe("account.application.deauthorized");
  });
});

describe("a delivery that fails", () => {
  it("is retried with increasing pauses and a new signature", async () => {
    await subscribe();
    answers = [500, 302, 404, 200];
    await change();
    expect(fixture.simulator.pendingDeliveries()).toBe(1);
    const pauses: number[] = [];
    while (fixture.simulator.pendingDeliveries() > 0) {
      const pause = (fixture.simulator.nextDueAt() ?? 0) - fixture.now();
      pauses.push(pause);
      fixture.pass(pause - 1);
      fixture.simulator.poll();
      expect(received).toHaveLength(pauses.length);
      fixture.pass(1);
      await flush();
    }
    expect(pauses).toEqual([10_000, 60_000, 300_000]);
    expect(new Set(idsOf(received)).size).toBe(1);
    expect(new Set(received.map(({ signature }) => signature)).size).toBe(4);
    verify(received.at(-1) as Received);
  });

  it("is shown as pending in the feed until it succeeds", async () => {
    await subscribe();
    answers = [500];
    const [event] = (await change()).events;
    const sdk = fixture.sdk();
    expect(await sdk.events.retrieve(event?.id ?? "")).toMatchObject({ pending_webhooks: 1 });
    expect((await sdk.events.list({ delivery_success: false })).data.map(({ id }) => id)).toEqual([event?.id]);
    expect(await fixture.request("GET /provider")).toMatchObject({
      deliveries: [{ event: event?.id, attempts: 1, problem: "answered 500" }],
    });
    expect(await flush()).toEqual({ pendingDeliveries: 0 });
    expect((await sdk.events.list({ delivery_success: false })).data).toEqual([]);
    expect((await sdk.events.list({ delivery_success: true, limit: 1 })).data[0]?.id).toBe(event?.id);
  });

  it("is kept over a restart, and sent to the endpoint's new URL", async () => {
    await subscribe({ url: "http://127.0.0.1:9/nobody" });
    const made = await change({ count: 3 });
    expect(fixture.simulator.pendingDeliveries()).toBe(made.events.length);
    await fixture.restart();
    expect(fixture.simulator.pendingDeliveries()).toBe(made.events.length);
    await subscribe();
    expect(await flush()).toEqual({ pendingDeliveries: 0 });
    expect(idsOf(received).sort()).toEqual(made.events.map(({ id }) => id).sort());
  });

  it("for three days disables the endpoint, and nothing is sent later", async () => {
    await subscribe();
    answers = Array.from({ length: 99 }, () => 503);
    await change();
    fixture.pass(72 * 3_600_000);
    expect(await flush()).toEqual({ pendingDeliveries: 0 });
    const attempts = received.length;
    await change();
    expect(received).toHaveLength(attempts);
    expect(fixture.simulator.pendingDeliveries()).toBe(0);
    answers = [];
    await subscribe();
    await change();
    expect(received).toHaveLength(attempts + 1);
  });
});

describe("delivery faults, by seed", () => {
  const deliver = async (options: Record<string, unknown>) => {
    await subscribe(options);
    const from = received.length;
    const made = await change({ count: 40, seed: 5 });
    await flush();
    return { sent: idsOf(received.slice(from)), made: made.events.map(({ id }) => id) };
  };

  deepIt("duplicate deliveries", async () => {
    const { sent, made } = await deliver({ duplicate: 0.5 });
    expect(new Set(sent)).toEqual(new Set(made));
    expect(sent.length).toBeGreaterThan(made.length * 1.2);
  });

  it("drop deliveries; the feed shows the missing events", async () => {
    const { sent, made } = await deliver({ drop: 0.5 });
    expect(sent.length).toBeGreaterThan(made.length * 0.2);
    expect(sent.length).toBeLessThan(made.length * 0.8);
    const lost = made.filter((id) => !sent.includes(id));
    const listed: string[] = [];
    for await (const { id } of fixture.sdk().events.list({ delivery_success: false, limit: 100 })) listed.push(id);
    expect(listed.sort()).toEqual(lost.sort());
  });

  it("delay deliveries on the local cloud's clock", async () => {
    await subscribe({ delayMs: 60_000 });
    const made = await change({ count: 20 });
    const early = received.length;
    expect(early).toBeLessThan(made.events.length / 2);
    fixture.pass(60_000);
    await flush();
    expect(received).toHaveLength(made.events.length);
  });

  it("shuffle deliveries", async () => {
    await subscribe({ shuffle: true, seed: 1, url: "http://127.0.0.1:9/nobody" });
    const made = await change({ count: 20 });
    const queued = async () =>
      (await fixture.request<{ deliveries: { event: string }[] }>("GET /provider")).deliveries.map(
        ({ event }) => event,
      );
    const order = await queued();
    expect(order).not.toEqual(made.events.map(({ id }) => id));
    expect([...order].sort()).toEqual(made.events.map(({ id }) => id).sort());
  });

  it("are refused if they are malformed", async () => {
    const asked = async (body: unknown) => (await fixture.control("POST /provider/webhooks", body)).status;
    expect(await asked({ url: "ftp://127.0.0.1/x" })).toBe(400);
    expect(await asked({ url, drop: 2 })).toBe(400);
    expect(await asked({ url, accountId: "acct_none" })).toBe(404);
    expect(await asked({})).toBe(400);
  });
});

describe("the platform's endpoint", () => {
  /** Lets the demo account grant the platform access, as a user and the platform do. */
  const grant = async () => {
    const { url: base, authorizeUrl, demo } = fixture.simulator;
    const query = `client_id=${LOCAL_PLATFORM.clientId}&account=${demo.accountId}`;
    const { code } = (await (await fetch(`${authorizeUrl}?${query}`)).json()) as { code: string };
    await fetch(`${base}/v1/oauth/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${LOCAL_PLATFORM.secret}:`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "authorization_code", code }),
    });
    await flush();
  };
  const typesAndAccounts = () =>
    received.map((one) => verify(one, LOCAL_PLATFORM.webhookSecret)).map(({ type, account }) => [type, account]);

  it("gets the events of an account from its grant to its deauthorization, each with the account", async () => {
    fixture.simulator.setPlatformUrl(url);
    const { accountId } = fixture.simulator.demo;
    await change();
    expect(received).toEqual([]);
    await grant();
    await change();
    await change({ action: "deauthorize" });
    await change();
    expect(typesAndAccounts()).toEqual([
      ["account.application.authorized", accountId],
      ["customer.created", accountId],
      ["account.application.deauthorized", accountId],
    ]);
    expect(fixture.simulator.pendingDeliveries()).toBe(0);
  });

  it("gets them beside the account's own endpoint, and again after a failure and another start", async () => {
    fixture.simulator.setPlatformUrl(url);
    await grant();
    await subscribe();
    received = [];
    answers = [500, 500];
    const { events } = await change();
    expect(idsOf(received)).toEqual([events[0]?.id, events[0]?.id]);
    await fixture.restart();
    fixture.pass(10_000);
    received = [];
    fixture.simulator.setPlatformUrl(url);
    await flush();
    expect(received.map(({ body }) => "account" in JSON.parse(body)).sort()).toEqual([false, true]);
    expect(fixture.simulator.pendingDeliveries()).toBe(0);
  });
});

describe("endpoints that a key registers", () => {
  const EVENTS: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = ["customer.created"];
  const register = (options: Stripe.RequestOptions = {}) =>
    fixture.sdk().webhookEndpoints.create({ url, enabled_events: EVENTS }, options);

  it("receive the enabled events, signed with a secret that only the creation shows", async () => {
    const { id, secret = "" } = await register();
    expect(secret).toMatch(/^whsec_/);
    const { data } = await fixture.sdk().webhookEndpoints.list();
    expect(data).toMatchObject([{ id, url, enabled_events: EVENTS, status: "enabled", api_version: null }]);
    expect(JSON.stringify([data, await fixture.sdk().webhookEndpoints.retrieve(id)])).not.toContain(secret);
    await change();
    expect(received.map((one) => verify(one, secret).type)).toEqual(["customer.created"]);
  });

  it("receive events in addition to the endpoint of the control server, until they are deleted", async () => {
    await subscribe({ enabledEvents: EVENTS });
    const { id, secret = "" } = await register();
    await change();
    expect(received).toHaveLength(2);
    expect(received.filter((one) => isSignedWith(one, secret))).toHaveLength(1);
    await expect(fixture.sdk().webhookEndpoints.del(id)).resolves.toMatchObject({ id, deleted: true });
    await expect(fixture.sdk().webhookEndpoints.del(id)).rejects.toMatchObject({ statusCode: 404 });
    await change();
    expect(received).toHaveLength(3);
  });

  it("are registered once for an Idempotency-Key", async () => {
    const first = await register({ idempotencyKey: "once" });
    await expect(register({ idempotencyKey: "once" })).resolves.toMatchObject({ id: first.id, secret: first.secret });
    expect((await fixture.sdk().webhookEndpoints.list()).data).toHaveLength(1);
  });

  it("are refused without a valid URL or events, and beyond 16", async () => {
    const { webhookEndpoints } = fixture.sdk();
    const wrong = webhookEndpoints.create({ url: "no url", enabled_events: EVENTS });
    await expect(wrong).rejects.toMatchObject({ statusCode: 400, code: "url_invalid" });
    await expect(webhookEndpoints.create({ url, enabled_events: [] })).rejects.toMatchObject({ statusCode: 400 });
    for (let i = 0; i < 16; i++) await register();
    await expect(register()).rejects.toMatchObject({ statusCode: 400 });
  });
});
