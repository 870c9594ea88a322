import { beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { DomainError } from "../../../shared/runtime/domain-error.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createWebhookEventStore, type WebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, delivery, failing, providerEvent, SECRET } from "./receive-instance.ts";
import { NOW } from "./stored-events.ts";

const database = useEngine("webhookEvents");
let events: WebhookEventStore;
beforeAll(() => {
  events = createWebhookEventStore(createTable(database.documentClient(), "webhookEvents"));
});
quietLog();

let organizations = 0;
let acme: string;
beforeEach(() => {
  acme = `acme ${++organizations}/ü`;
});

const RECEIVED = { statusCode: 200, body: { received: true } };
const UNAVAILABLE = new DomainError("store_unavailable", "The store did not answer.");

const handedOver = (id = "evt_1") => ({
  source: "integration-security",
  detailType: "WebhookReceived",
  detail: { organizationId: acme, eventId: id },
});

describe("a delivery", () => {
  it("is stored, published by its id, recorded and acknowledged", async () => {
    const { send, published, record } = createInstance(events);
    const answer = await send(delivery(providerEvent(), { organization: acme }));
    expect(answer).toMatchObject(RECEIVED);
    expect(answer.headers).toEqual({
      "cache-control": "no-store",
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-request-id": "request-1",
    });
    expect(published).toMatchObject([handedOver()]);
    expect(await events.read(acme, "evt_1", NOW)).toMatchObject({
      type: "customer.updated",
      objectId: "cus_1",
      observations: [{ kind: "state", type: "customers", fields: { name: "Ada" } }],
      connectionId: "c1",
      accountId: "acct_1",
      receivedAt: NOW,
    });
    expect(await events.add(acme, { ...(await stored()), id: "evt_1" })).toBe("done");
    expect(record.mock.calls).toEqual([
      [
        {
          eventType: "WEBHOOK_RECEIVED",
          category: "integration",
          riskLevel: "LOW",
          source: "webhook",
          organizationId: acme,
          ipAddress: "127.0.0.1",
          userAgent: "jest",
          resource: "acct_1",
          resourceType: "provider_account",
          action: "receive_webhook",
          success: true,
          metadata: {
            requestId: "request-1",
            durationMs: 0,
            type: "customer.updated",
            eventId: "evt_1",
            repeated: false,
          },
        },
      ],
    ]);
  });

  const stored = async () => {
    const event = await events.read(acme, "evt_1", NOW);
    if (event === undefined) throw new Error("The event is not stored.");
    return event;
  };

  it("that is repeated is acknowledged, recorded as a repetition and not published again", async () => {
    const { send, published, record } = createInstance(events);
    const event = delivery(providerEvent(), { organization: acme });
    await send(event);
    expect(await send(event)).toMatchObject(RECEIVED);
    expect(published).toHaveLength(1);
    expect(record.mock.calls[1]?.[0]).toMatchObject({ success: true, metadata: { repeated: true } });
  });

  it("with a body in base64 has the same bytes", async () => {
    const { send } = createInstance(events);
    const { body = "", ...event } = delivery(providerEvent({ livemode: "aé€🌵" }), { organization: acme });
    const encoded = { ...event, body: Buffer.from(body).toString("base64"), isBase64Encoded: true };
    expect(await send(encoded)).toMatchObject(RECEIVED);
    expect(await stored()).toBeDefined();
  });

  it("of an unknown type is acknowledged, stored and recorded, and not published", async () => {
    const { send, published, record } = createInstance(events);
    const unknown = providerEvent({ type: "issuing_card.created" });
    expect(await send(delivery(unknown, { organization: acme }))).toMatchObject(RECEIVED);
    expect(await send(delivery(unknown, { organization: acme }))).toMatchObject(RECEIVED);
    expect(published).toEqual([]);
    expect(await stored()).toMatchObject({ outcome: "unknown", processedAt: NOW, observations: [] });
    expect(record.mock.calls.map(([event]) => event.metadata)).toMatchObject([
      { type: "issuing_card.created", repeated: false },
      { type: "issuing_card.created", repeated: true },
    ]);
  });

  it("of another account is acknowledged and recorded, and not applied", async () => {
    const { send, published, record } = createInstance(events);
    const foreign = providerEvent({ account: "acct_2" });
    expect(await send(delivery(foreign, { organization: acme }))).toMatchObject(RECEIVED);
    expect(published).toEqual([]);
    expect(await stored()).toMatchObject({ outcome: "ignored", observations: [] });
    expect(record.mock.calls[0]?.[0]).toMatchObject({ success: true, metadata: { otherAccount: true } });
  });

  it.each([["acct_1"], [null]])("that names the account %j is the connection's", async (account) => {
    const { send, published } = createInstance(events);
    await send(delivery(providerEvent({ account }), { organization: acme }));
    expect(published).toHaveLength(1);
  });

  it.each(["evt_1", "evt_b8f1-4c.2:7", "2", "e".repeat(255)])("may have the id %j", async (id) => {
    const { send, published } = createInstance(events);
    expect(await send(delivery(JSON.stringify(providerEvent({ id })), { organization: acme }))).toMatchObject({
      statusCode: 200,
    });
    expect(published).toMatchObject([{ detail: { eventId: id } }]);
  });

  it("that revokes the permission is published", async () => {
    const { send, published } = createInstance(events);
    const event = providerEvent({
      type: "account.application.deauthorized",
      data: { object: { id: "ca_1", object: "application" } },
    });
    await send(delivery(event, { organization: acme }));
    expect(published).toMatchObject([handedOver()]);
    expect(await stored()).toMatchObject({ isDeauthorization: true });
  });
});

describe("the units of a delivery", () => {
  it("are five writes, and two if there is nothing to publish", async () => {
    const client = database.documentClient();
    const measure = countUnits(client);
    const { send } = createInstance(createWebhookEventStore(createTable(client, "webhookEvents")));
    const event = delivery(providerEvent(), { organization: acme });
    expect(await measure(() => send(event))).toEqual({ read: 0, write: 5 });
    const unknown = delivery(providerEvent({ id: "evt_2", type: "radar.review.opened" }), { organization: acme });
    expect(await measure(() => send(unknown))).toEqual({ read: 0, write: 2 });
  });
});

describe("20 deliveries of one event at the same time", () => {
  it("are stored once, all acknowledged, and published at least once", async () => {
    const instances = Array.from({ length: 20 }, () => createInstance(events));
    const answers = await Promise.all(
      instances.map(({ send }) => send(delivery(providerEvent(), { organization: acme }))),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
    expect(instances.flatMap(({ published }) => published).length).toBeGreaterThanOrEqual(1);
    const firsts = instances.flatMap(({ record }) => record.mock.calls.map(([event]) => event.metadata?.repeated));
    expect(firsts.filter((repeated) => repeated === false)).toHaveLength(1);
    expect(firsts).toHaveLength(20);
    expect(await events.listPending({ before: NOW + 1, limit: 100 })).not.toContainEqual(
      expect.objectContaining({ organizationId: acme }),
    );
  });
});

describe("failures", () => {
  const noBus = { publish: async (sent: readonly object[]) => sent.map((event) => ({ event, reason: "Throttled" })) };

  it("a first delivery that cannot be published is 503, and its repetition publishes it", async () => {
    const down = createInstance(events, { bus: noBus as never });
    const event = delivery(providerEvent(), { organization: acme });
    const refused = await down.send(event);
    expect(refused).toMatchObject({ statusCode: 503, body: { error: 50301 } });
    expect(Number(refused.headers?.["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(down.record.mock.calls).toMatchObject([
      [
        {
          eventType: "WEBHOOK_RECEIVED",
          success: false,
          riskLevel: "MEDIUM",
          errorCode: "50301",
          metadata: { eventId: "evt_1" },
        },
      ],
    ]);
    expect(await down.send(event)).toMatchObject({ statusCode: 503 });

    const up = createInstance(events);
    expect(await up.send(event)).toMatchObject(RECEIVED);
    expect(up.published).toMatchObject([handedOver()]);
    expect(await up.send(event)).toMatchObject(RECEIVED);
    expect(up.published).toHaveLength(1);
  });

  it("a delivery that cannot be stored is 503 and not published", async () => {
    const { send, published, record } = createInstance(failing(events, ["add"], UNAVAILABLE));
    expect(await send(delivery(providerEvent(), { organization: acme }))).toMatchObject({ statusCode: 503 });
    expect(published).toEqual([]);
    expect(record.mock.calls).toMatchObject([[{ success: false }]]);
  });

  it("a delivery that cannot be marked is still acknowledged, and published once more", async () => {
    const { send, published } = createInstance(failing(events, ["markPublished"], UNAVAILABLE));
    const event = delivery(providerEvent(), { organization: acme });
    expect(await send(event)).toMatchObject(RECEIVED);
    expect(await send(event)).toMatchObject(RECEIVED);
    expect(published).toHaveLength(2);
  });

  it.each([
    ["the connection cannot be read", { readConnection: () => Promise.reject(UNAVAILABLE) }],
    ["the secrets cannot be opened", { secrets: { open: () => Promise.reject(UNAVAILABLE) } }],
  ])("%s: 503, nothing stored, and no event, because anybody may have sent it", async (_what, changes) => {
    const { send, record } = createInstance(events, changes);
    expect(await send(delivery(providerEvent(), { organization: acme }))).toMatchObject({ statusCode: 503 });
    expect(await events.read(acme, "evt_1", NOW)).toBeUndefined();
    expect(record).not.toHaveBeenCalled();
  });

  it("a fault of the service is 500 without its message", async () => {
    const { send } = createInstance(failing(events, ["add"], new TypeError("secret whsec_1234")));
    const answer = await send(delivery(providerEvent(), { organization: acme }));
    expect(answer).toMatchObject({ statusCode: 500, body: { error: 50001 } });
    expect(JSON.stringify(answer)).not.toContain("whsec");
  });
});

describe("a genuine payload that is no event", () => {
  it.each([
    ["", 40001],
    ["{", 40001],
    ["\ufeff{}", 40001],
    ["null", 40002],
    ["[]", 40002],
    ["7", 40002],
    ["{}", 40002],
    [JSON.stringify(providerEvent({ id: undefined })), 40002],
    [JSON.stringify(providerEvent({ type: 1 })), 40002],
  ])("%j is refused with %i and recorded", async (payload, error) => {
    const { send, record, published } = createInstance(events);
    expect(await send(delivery(payload, { organization: acme }))).toMatchObject({ statusCode: 400, body: { error } });
    expect(record.mock.calls).toMatchObject([[{ success: false, riskLevel: "LOW", errorCode: String(error) }]]);
    expect(published).toEqual([]);
  });

  it("is refused if its bytes are not UTF-8", async () => {
    const parse = jest.fn();
    const { send } = createInstance(events, { hasValidSignature: () => true, parseEvent: parse as never });
    const body = Buffer.from([0x22, 0xff, 0x22]).toString("base64");
    const event = { ...delivery("", { organization: acme }), body, isBase64Encoded: true };
    expect(await send(event)).toMatchObject({ statusCode: 400, body: { error: 40001 } });
    expect(parse).not.toHaveBeenCalled();
  });
});

describe("a genuine event that cannot be stored as it is", () => {
  it.each(["evt/1", "#gap", "e".repeat(2_000), "evt_\ud800"])("has another id in place of %j", async (id) => {
    const organization = `acme ${id.length} ${id.charCodeAt(0)} ${id.charCodeAt(4)}`;
    const { send, published } = createInstance(events);
    for (let time = 0; time < 2; time++) {
      const sent = delivery(providerEvent({ id }), { organization });
      expect(await send(sent)).toMatchObject({ statusCode: 200, body: { received: true } });
    }
    expect(published).toHaveLength(1);
    const eventId = String((published[0]?.detail as { eventId?: string } | undefined)?.eventId);
    expect(await events.read(organization, eventId, NOW)).toMatchObject({ observations: [{ kind: "state" }] });
  });

  it.each<[string, Record<string, unknown>, Record<string, string>]>([
    ["time", { created: -1 }, { name: "cus_1", reason: "time" }],
    ["object's id", { data: { object: { id: "x".repeat(2_000) } } }, { name: "x".repeat(255), reason: "id" }],
    ["object", { data: { object: null } }, { name: "(no id)", reason: "id" }],
    ["data", { data: [] }, { name: "(no id)", reason: "id" }],
  ])("is stored without its %s, for process-webhook to name it", async (what, change, aside) => {
    const organization = `acme without ${what}`;
    const { send, published } = createInstance(events);
    expect(await send(delivery(providerEvent(change), { organization }))).toMatchObject({ statusCode: 200 });
    expect(published).toHaveLength(1);
    const stored = await events.read(organization, "evt_1", NOW);
    expect(stored).toMatchObject({ observations: [], setAside: [aside], objectId: aside.name });
  });
});

describe("a delivery without a valid signature", () => {
  const forged = () => delivery(providerEvent(), { organization: acme, secret: "whsec_forged" });

  it("gets the same answer if it is forged, or its organization is missing or not connected", async () => {
    const { send } = createInstance(events);
    const answers = [
      await send(forged()),
      await send({ ...delivery(providerEvent(), { organization: acme }), headers: {} }),
      await send(delivery(providerEvent(), { organization: acme, timestamp: NOW / 1_000 - 301 })),
      await send(delivery(providerEvent(), { organization: acme, timestamp: NOW / 1_000 + 301 })),
      await send(delivery(providerEvent(), { organization: "stranger" })),
      await send(delivery(providerEvent(), { rawPath: "/" })),
      await send(delivery(providerEvent(), { rawPath: "" })),
      await send(delivery(providerEvent(), { rawPath: "/acme/more" })),
      await send(delivery(providerEvent(), { rawPath: "/acme/" })),
      await send(delivery(providerEvent(), { rawPath: "/%zz" })),
      await send(delivery(providerEvent(), { rawPath: "/%ff" })),
      await send(delivery(providerEvent(), { organization: "acme".repeat(33) })),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ statusCode: 400, body: { error: 40005 } });
    expect(await events.read(acme, "evt_1", NOW)).toBeUndefined();
  });

  it("is an authentication failure, of the organization in the URL if that is connected", async () => {
    const { send, forged: recorded, record } = createInstance(events);
    await send(forged());
    await send(delivery(providerEvent(), { organization: "stranger" }));
    expect(record).not.toHaveBeenCalled();
    const event = {
      eventType: "AUTHENTICATION_FAILURE",
      category: "authentication",
      riskLevel: "HIGH",
      source: "webhook",
      ipAddress: "127.0.0.1",
      userAgent: "jest",
      resourceType: "provider_account",
      action: "receive_webhook",
      success: false,
      errorCode: "40005",
      errorMessage: "The signature does not verify, or no webhooks are expected here.",
      metadata: { requestId: "request-1" },
    };
    expect(recorded).toEqual([{ ...event, organizationId: acme }, event]);
  });

  it("is counted by the next genuine delivery if it has waited in memory", async () => {
    const { send, countDue } = createInstance(events);
    await send(delivery(providerEvent(), { organization: acme }));
    expect(countDue).toHaveBeenCalledTimes(1);
  });

  it("is not parsed", async () => {
    const parseEvent = jest.fn<() => undefined>();
    const { send } = createInstance(events, { parseEvent });
    await send(forged());
    expect(parseEvent).not.toHaveBeenCalled();
  });
});

describe("an invalid request", () => {
  it.each(["GET", "PUT", "DELETE", "HEAD", "OPTIONS"])("with the method %s gets 405", async (method) => {
    const { send, record } = createInstance(events);
    const answer = await send(delivery(providerEvent(), { organization: acme, method }));
    expect(answer).toMatchObject({ statusCode: 405, body: { error: 40501 } });
    expect(answer.headers?.allow).toBe("POST");
    expect(record).not.toHaveBeenCalled();
  });

  it.each([
    ["text", false],
    ["base64", true],
  ])("with more than 1 MiB of %s gets 413; 1 MiB is accepted", async (_what, isBase64Encoded) => {
    const { send, opened } = createInstance(events);
    const sized = (bytes: number) => {
      const body = JSON.stringify(providerEvent()).padEnd(bytes, " ");
      const event = delivery(body, { organization: acme });
      return { ...event, isBase64Encoded, body: isBase64Encoded ? Buffer.from(body).toString("base64") : body };
    };
    expect(await send(sized(1_048_577))).toMatchObject({ statusCode: 413, body: { error: 41301 } });
    expect(opened).not.toHaveBeenCalled();
    expect(await send(sized(1_048_576))).toMatchObject(RECEIVED);
  });

  it("with more than 1 MiB is measured in bytes, not in characters", async () => {
    const { send } = createInstance(events);
    const event = delivery(`"${"€".repeat(349_526)}"`, { organization: acme });
    expect(await send(event)).toMatchObject({ statusCode: 413 });
  });

  it.each(["a", "ab=c", "abc\n", "ab c", "a===", "äöüß", "abc-_w=="])("with %j as base64 gets 400", async (body) => {
    const { send } = createInstance(events);
    const event = { ...delivery(providerEvent(), { organization: acme }), body, isBase64Encoded: true };
    expect(await send(event)).toMatchObject({ statusCode: 400, body: { error: 40005 } });
  });
});

describe("the log", () => {
  it("has one line for a delivery, without the body, the signature or the secret", async () => {
    const { send } = createInstance(events);
    const written = jest.mocked(process.stdout.write);
    const event = delivery(providerEvent(), { organization: acme });
    await send(event);
    await send(delivery(providerEvent(), { organization: acme, secret: "whsec_forged" }));
    const lines = written.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines).toMatchObject([
      { level: "info", message: "POST /{organizationId}", requestId: "request-1", organizationId: acme, status: 200 },
      { level: "info", message: "POST /{organizationId}", status: 400, error: 40005 },
    ]);
    // A forged delivery may name any organization.
    expect(lines[1]).not.toHaveProperty("organizationId");
    const text = JSON.stringify(lines);
    for (const secret of [SECRET, "Ada", ...Object.values(event.headers).map(String), "v1="]) {
      if (secret !== "application/json") expect(text).not.toContain(secret);
    }
  });
});
