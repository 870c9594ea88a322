/** The platform's endpoint: the handler of the webhook URL over real tables of events and accounts. */

import { beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { AccountOwner } from "../../../shared/connection/account-directory-store.ts";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createCachedSecret } from "../../../shared/runtime/secrets-manager.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createWebhookEventStore, type WebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, delivery, failing, providerEvent, SECRET } from "./receive-instance.ts";
import { NOW } from "./stored-events.ts";

const PLATFORM = "whsec_platform";
const rawPath = "/-/platform";
const RECEIVED = { statusCode: 200, body: { received: true } };
const REJECTED = { statusCode: 400, body: { error: 40005 } };
const UNAVAILABLE = new DomainError("store_unavailable", "The store did not answer. Try again.");

const database = useEngine("webhookEvents");
let events: WebhookEventStore;
beforeAll(() => {
  events = createWebhookEventStore(createTable(database.documentClient(), "webhookEvents"));
});
quietLog();

let tests = 0;
let owners: AccountOwner[];
beforeEach(() => {
  tests++;
  owners = [
    { organizationId: `a ${tests}`, connectionId: "ca", method: "oauth" },
    { organizationId: `b ${tests}`, connectionId: "cb", method: "api_key", acceptedAt: NOW },
  ];
});

/** An instance whose platform's secret is `secret.value`. */
const create = (changes: Parameters<typeof createInstance>[1] = {}) => {
  const secret = { value: PLATFORM, reads: 0 };
  const read = async () => {
    secret.reads++;
    return secret.value;
  };
  const instance = createInstance(events, {
    secret: createCachedSecret(read, () => instance.time.now, { rereadAfterMs: 10_000 }),
    ownersOf: async (accountId) => (accountId === "acct_1" ? owners : []),
    ...changes,
  });
  return { ...instance, secret };
};

const logLines = (): Record<string, unknown>[] =>
  jest.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)));

const from = (account: unknown, changes: Record<string, unknown> = {}) => providerEvent({ account, ...changes });
const sent = (payload: unknown, secret = PLATFORM) => delivery(payload, { rawPath, secret });
const stored = (name: "a" | "b") => events.read(`${name} ${tests}`, "evt_1", NOW);

describe("a delivery at the platform's endpoint", () => {
  it("is stored, published and recorded for each organization that has connected the account", async () => {
    const { send, published, record } = create();
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    expect(await stored("a")).toMatchObject({ connectionId: "ca", accountId: "acct_1", objectId: "cus_1" });
    expect(await stored("b")).toMatchObject({ connectionId: "cb", accountId: "acct_1", objectId: "cus_1" });
    expect(published.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining(owners.map(({ organizationId }) => ({ organizationId, eventId: "evt_1" }))),
    );
    // The organizations are served in parallel.
    const recorded = record.mock.calls.map(([event]) => event);
    const byOrganization = recorded.sort((a, b) => String(a.organizationId).localeCompare(String(b.organizationId)));
    expect(byOrganization).toMatchObject(
      owners.map(({ organizationId }) => ({
        eventType: "WEBHOOK_RECEIVED",
        organizationId,
        resource: "acct_1",
        success: true,
        metadata: { endpoint: "platform", repeated: false },
      })),
    );
  });

  it("that is repeated changes nothing", async () => {
    const { send, published, record } = create();
    await send(sent(from("acct_1")));
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    expect(published).toHaveLength(2);
    expect(record.mock.calls.slice(2).map(([{ metadata }]) => metadata?.repeated)).toEqual([true, true]);
  });

  it.each([
    ["names an account that no organization has connected", "acct_unknown", "acct_unknown"],
    ["names no account, because it is of the platform's own", undefined, undefined],
  ])("is acknowledged and counted if it %s", async (_name, account, accountId) => {
    const { send, published, record } = create();
    expect(await send(sent(from(account)))).toMatchObject(RECEIVED);
    const counted = logLines().filter(({ count }) => count !== undefined);
    expect(counted).toMatchObject([{ count: "platform_webhook_unclaimed", type: "customer.updated" }]);
    expect(counted[0]?.accountId).toBe(accountId);
    expect([published, record.mock.calls]).toEqual([[], []]);
  });

  it("revokes OAuth connections, and spares API keys of the same account", async () => {
    const { send, published } = create();
    const data = { object: { id: "ca_1", object: "application" } };
    await send(sent(from("acct_1", { type: "account.application.deauthorized", data })));
    expect(published).toMatchObject([{ detail: { organizationId: owners[0]?.organizationId } }]);
    expect(await stored("a")).toMatchObject({ isDeauthorization: true, connectionId: "ca" });
    expect(await stored("b")).toMatchObject({ isDeauthorization: false, outcome: "unknown" });
  });

  it("revokes API keys if no organization has connected the account by OAuth", async () => {
    owners = owners.filter(({ method }) => method === "api_key");
    const { send, published } = create();
    const data = { object: { id: "ca_1", object: "application" } };
    await send(sent(from("acct_1", { type: "account.application.deauthorized", data })));
    expect(published).toMatchObject([{ detail: { organizationId: `b ${tests}` } }]);
    expect(await stored("b")).toMatchObject({ isDeauthorization: true });
  });

  it("that revokes and is repeated spares the same API keys, also after the OAuth connection has ended", async () => {
    const data = { object: { id: "ca_1", object: "application" } };
    const revoking = sent(from("acct_1", { type: "account.application.deauthorized", data }));
    const add: WebhookEventStore["add"] = (organizationId, event) =>
      event.isDeauthorization ? Promise.reject(UNAVAILABLE) : events.add(organizationId, event);
    expect(await create({ events: { ...events, add } }).send(revoking)).toMatchObject({ statusCode: 503 });
    owners = owners.filter(({ method }) => method === "api_key");
    const { send, published } = create();
    expect(await send(revoking)).toMatchObject(RECEIVED);
    expect(published).toEqual([]);
    expect(await stored("b")).toMatchObject({ isDeauthorization: false });
  });

  it("is 503 if it cannot be stored for one of them, and a repetition completes it", async () => {
    let calls = 0;
    const add: WebhookEventStore["add"] = (...call) =>
      ++calls === 1 ? Promise.reject(UNAVAILABLE) : events.add(...call);
    const { send } = create({ events: { ...events, add } });
    expect(await send(sent(from("acct_1")))).toMatchObject({ statusCode: 503, body: { error: 50301 } });
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    expect(await stored("a")).toBeDefined();
    expect(await stored("b")).toBeDefined();
  });

  it.each([
    ["the accounts", { ownersOf: () => Promise.reject(UNAVAILABLE) }],
    ["the secret", { secret: { current: () => Promise.reject(UNAVAILABLE), refused: async () => undefined } }],
    ["the events", { events: failing({} as WebhookEventStore, ["add"], UNAVAILABLE) }],
  ])("is 503 with Retry-After if the service cannot read or write %s", async (_what, changes) => {
    const answer = await create(changes).send(sent(from("acct_1")));
    expect(answer).toMatchObject({ statusCode: 503, body: { error: 50301 } });
    expect(Number(answer.headers?.["retry-after"])).toBeGreaterThanOrEqual(1);
  });

  it.each(["", "{", "null", JSON.stringify(providerEvent({ id: 5, account: "acct_1" }))])(
    "is 400 if it is genuine and no event: %j",
    async (payload) => {
      expect(await create().send(sent(payload))).toMatchObject({ statusCode: 400 });
    },
  );
});

describe("a delivery for an API key that the provider has not accepted for 24 hours", () => {
  const DAY = 24 * 3_600_000;
  const withKey = (acceptedAt: number | undefined): AccountOwner[] => [
    { organizationId: `a ${tests}`, connectionId: "ca", method: "oauth" },
    { organizationId: `b ${tests}`, connectionId: "cb", method: "api_key", acceptedAt },
  ];
  const counted = () => logLines().filter(({ count }) => count === "platform_webhook_withheld");

  it("is acknowledged, counted, and recorded once, and reaches only the others", async () => {
    owners = withKey(NOW - DAY);
    const { send, record } = create();
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    expect(await send(sent(from("acct_1", { id: "evt_2" })))).toMatchObject(RECEIVED);
    expect(await stored("a")).toBeDefined();
    expect(await stored("b")).toBeUndefined();
    expect(counted()).toMatchObject([{ accountId: "acct_1", type: "customer.updated" }, {}]);
    const stopped = record.mock.calls.filter(([{ eventType }]) => eventType === "PLATFORM_EVENTS_STOPPED");
    expect(stopped).toMatchObject([
      [{ organizationId: `b ${tests}`, riskLevel: "MEDIUM", success: false, resource: "acct_1" }, { timestamp: NOW }],
    ]);
  });

  it("is recorded as the same event by other instances", async () => {
    owners = withKey(NOW - DAY - 1);
    const moments = [];
    for (const { send, record } of [create(), create()]) {
      await send(sent(from("acct_1")));
      moments.push(record.mock.calls.find(([{ eventType }]) => eventType === "PLATFORM_EVENTS_STOPPED")?.[1]);
    }
    expect(moments).toEqual([{ timestamp: NOW - 1, identity: expect.any(Uint8Array) }, moments[0]]);
  });

  it("is not withheld a moment before", async () => {
    owners = withKey(NOW - DAY + 1);
    await create().send(sent(from("acct_1")));
    expect(await stored("b")).toBeDefined();
    expect(counted()).toEqual([]);
  });

  it("is withheld from a connection of an earlier version until the provider accepts its key", async () => {
    owners = withKey(undefined).slice(1);
    const { send, record } = create();
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    expect(await stored("b")).toBeUndefined();
    expect(counted()).toHaveLength(1);
    expect(record).not.toHaveBeenCalled();
  });
});

describe("a delivery without the platform's signature", () => {
  it("gets one answer, whether it is forged, signed by an organization, or expected at all", async () => {
    const { send, forged, published } = create();
    const answers = [
      await send(sent(from("acct_1"), "whsec_forged")),
      await send(sent(from("acct_1"), SECRET)),
      await send({ ...sent(from("acct_1")), headers: {} }),
      await send(delivery(from("acct_1"), { rawPath, secret: PLATFORM, timestamp: NOW / 1_000 - 301 })),
      await create({ secret: undefined }).send(sent(from("acct_1"))),
      await send(delivery(from("acct_1"), { rawPath: "/-/platform/", secret: PLATFORM })),
      await send(delivery(from("acct_1"), { rawPath: "/-/other", secret: PLATFORM })),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject(REJECTED);
    expect(published).toEqual([]);
    expect(forged[0]).toMatchObject({ eventType: "AUTHENTICATION_FAILURE", source: "webhook" });
    for (const event of forged) expect(event).not.toHaveProperty("organizationId");
  });

  it("causes a bounded number of reads of the secret, and counts towards the limit of forged webhooks", async () => {
    const { send, record, forged, time, secret } = create();
    for (let i = 0; i < 1_000; i++) {
      time.now += 50;
      await send(sent(from("acct_1"), "whsec_forged"));
    }
    expect(record).not.toHaveBeenCalled();
    expect(forged).toHaveLength(1_000);
    expect(secret.reads).toBe(5);
  });

  it("does not open an organization's URL with the platform's secret", async () => {
    const { send } = create();
    expect(await send(delivery(from("acct_1"), { organization: "acme", secret: PLATFORM }))).toMatchObject(REJECTED);
    expect(await send(delivery(from("acct_1"), { organization: "-", secret: PLATFORM }))).toMatchObject(REJECTED);
  });
});

describe("the platform's secret", () => {
  it("may be rolled while an instance lives: the next value is read at the first signature that needs it", async () => {
    const { send, secret, time } = create();
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    secret.value = JSON.stringify(["whsec_new", PLATFORM]);
    time.now += 10_000;
    expect(await send(sent(from("acct_1"), "whsec_new"))).toMatchObject(RECEIVED);
    expect(await send(sent(from("acct_1")))).toMatchObject(RECEIVED);
    secret.value = "whsec_new";
    time.now += 300_000;
    expect(
      await send(delivery(from("acct_1"), { rawPath, secret: PLATFORM, timestamp: time.now / 1_000 })),
    ).toMatchObject(REJECTED);
  });

  it.each(["[", "[]", '["whsec_a",1]', '[""]'])(
    "that is the malformed list %j is 503 and calls the operators",
    async (value) => {
      const { send, secret } = create();
      secret.value = value;
      expect(await send(sent(from("acct_1")))).toMatchObject({ statusCode: 503 });
      expect(logLines()).toContainEqual(expect.objectContaining({ alarm: "platform_secret" }));
      expect(JSON.stringify(logLines())).not.toContain("whsec_a");
    },
  );
});
