import { randomBytes } from "node:crypto";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { keyOf } from "../../shared/webhooks/event-partitions.ts";
import { eventually, organizationOf } from "../support/integration.ts";
import { useConnected, useService } from "../support/use-service.ts";
import { signatureOf, signatureOfAll } from "../support/webhook-sender.ts";

const RECEIVED = '{"received":true}';
const MIB = 1_048_576;

const service = await useService();
const connected = useConnected(service, { name: "hooks", each: false });
const { provider, ours, account, sender, customerOf, settled, connectAnother } = connected;

/** Newest first. */
const deliveries = () => ours.events("eventType=WEBHOOK_RECEIVED");
const deliveriesOf = async ({ id }: { id: string }) =>
  (await deliveries()).filter(({ metadata }) => (metadata as { eventId?: string }).eventId === id);

describe("a delivery that is genuine", () => {
  beforeAll(connectAnother);

  it("is stored, published and applied without a run", async () => {
    const runs = (await ours.runs()).length;
    const event = await sender.customerEvent("created", "cus_new", { name: "Noa" });
    expect(await sender.send(event)).toMatchObject({ status: 200, text: RECEIVED });
    const record = await eventually("the customer is a record", () => customerOf("cus_new"));
    expect(record).toMatchObject({ name: "Noa", email: "ada@example.com", deleted: false });
    expect(await ours.runs()).toHaveLength(runs);
    expect(await deliveriesOf(event)).toMatchObject([
      {
        source: "webhook",
        category: "integration",
        riskLevel: "LOW",
        success: true,
        resource: account.accountId,
        metadata: { type: "customer.created", eventId: event.id, repeated: false },
      },
    ]);
  });

  it("takes effect once, even if it is repeated at once and later", async () => {
    const event = await sender.customerEvent("created", "cus_again");
    const answers = await Promise.all(Array.from({ length: 8 }, () => sender.send(event)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set([`200 ${RECEIVED}`]));
    const first = await eventually("the customer is a record", () => customerOf("cus_again"));
    await settled();
    expect(await sender.send(event)).toMatchObject({ status: 200, text: RECEIVED });
    await settled();
    expect(await customerOf("cus_again")).toEqual(first);
    const repeated = (await deliveriesOf(event)).map(({ metadata }) => (metadata as { repeated: boolean }).repeated);
    expect(repeated.filter((one) => !one)).toHaveLength(1);
    expect(repeated).toHaveLength(9);
  });

  it("counts beside another one of the same second", async () => {
    const [one, two] = [
      await sender.customerEvent("created", "cus_one"),
      await sender.customerEvent("created", "cus_two"),
    ];
    await Promise.all([sender.send({ ...one, created: two.created }), sender.send(two)]);
    await eventually("both are records", async () => (await customerOf("cus_one")) && (await customerOf("cus_two")));
  });

  it.each(["invoice.upcoming", "some.type.of.tomorrow", "balance.available"])("is acknowledged as %s", async (type) => {
    const event = { ...(await sender.customerEvent("created", "cus_no")), type };
    expect(await sender.send(event)).toMatchObject({ status: 200, text: RECEIVED });
    expect(await sender.send(event)).toMatchObject({ status: 200, text: RECEIVED });
    await settled();
    expect(await customerOf("cus_no")).toBeUndefined();
    expect(await deliveriesOf(event)).toHaveLength(2);
  });

  it.each(["application/octet-stream", "text/plain", ""])("may come as %j, in bytes or in text", async (type) => {
    const id = `cus_${randomBytes(4).toString("hex")}`;
    const event = await sender.customerEvent("created", id, { name: "Zoë 🌱 \u2028" });
    expect(await sender.send(event, { headers: { "content-type": type } })).toMatchObject({ status: 200 });
    expect(await eventually("it is a record", () => customerOf(id))).toMatchObject({ name: "Zoë 🌱 \u2028" });
  });

  it("may have almost 1 MiB; only the record's fields are stored", async () => {
    const event = await sender.customerEvent("created", "cus_large");
    const padded = { ...event, request: { padding: "x".repeat(MIB - 1_000) } };
    expect(await sender.send(padded)).toMatchObject({ status: 200 });
    expect(await eventually("it is a record", () => customerOf("cus_large"))).toMatchObject({ name: "Ada" });
  });

  it("of another account is acknowledged, and not applied", async () => {
    const event = { ...(await sender.customerEvent("created", "cus_theirs")), account: "acct_of_others" };
    expect(await sender.send(event)).toMatchObject({ status: 200, text: RECEIVED });
    await settled();
    expect(await customerOf("cus_theirs")).toBeUndefined();
    expect(await deliveriesOf(event)).toMatchObject([{ metadata: { otherAccount: true, repeated: false } }]);
  });

  it.each([
    ["no JSON", "{", 40001],
    ["a byte-order mark", "\ufeff{}", 40001],
    ["null", "null", 40002],
    ["no event", '{"object":"customer"}', 40002],
    ["an id that is no text", '{"id":5,"type":"a.b","created":1,"data":{"object":{}}}', 40002],
    ["deep nesting", "[".repeat(100_000), 40001],
    ["a prototype", '{"__proto__":{"id":"evt_1","type":"a.b","created":1}}', 40002],
  ])("is not taken with %s", async (_, body, error) => {
    const before = await deliveries();
    const answer = await sender.send(body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toEqual({ error, message: expect.stringContaining("body") });
    const after = await deliveries();
    const added = after.slice(0, after.length - before.length);
    expect(added).toMatchObject([{ success: false, riskLevel: "LOW", errorCode: String(error) }]);
  });
});

describe("a delivery that is not genuine", () => {
  beforeAll(connectAnother);

  /** The answer is the same for all reasons. */
  const refused = { error: 40005, message: "The signature does not verify, or no webhooks are expected here." };
  const expectRefused = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer;
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 400, body: refused });
  };

  it("is refused for any error in its signature", async () => {
    const event = await sender.customerEvent("created", "cus_forged");
    const body = JSON.stringify(event);
    const now = await sender.nowSeconds();
    const good = signatureOf(body, sender.secret, now);
    const hex = good.slice(good.indexOf("v1=") + 3);
    const bad = [
      null,
      "",
      `t=${now}`,
      `v1=${hex}`,
      `t=${now},v1=`,
      `t=${now},v1=${hex.toUpperCase()}`,
      `t=${now},v1=${hex.slice(1)}`,
      `t=${now},v1=${hex}0`,
      `t=${now},v0=${hex}`,
      `t=${now}, v1=${hex}`,
      `t=${now};v1=${hex}`,
      `t=${now}xyz,v1=${hex}`,
      `t=${now}.0,v1=${hex}`,
      `t=0x${now.toString(16)},v1=${hex}`,
      `t=-${now},v1=${hex}`,
      `t=${now},t=${now},v1=${hex}`,
      `t=${now + 1},v1=${hex}`,
      `${good},`,
      `${good},=`,
      `t=${now}${",v1=".concat("0".repeat(64)).repeat(20)},v1=${hex}`,
      signatureOf(body, `${sender.secret}x`, now),
      signatureOf(`${body} `, sender.secret, now),
    ];
    for (const signature of bad) await expectRefused(sender.send(body, { signature }));
    expect(await sender.send(body, { signature: good })).toMatchObject({ status: 200 });
  });

  // Half a minute of room for a slow machine; the rule's own test has the exact limit.
  it.each([
    [-301, 400],
    [330, 400],
    [-270, 200],
    [290, 200],
  ])("may be %i seconds off: %i", async (shiftSeconds, status) => {
    const event = await sender.customerEvent("created", "cus_time");
    expect(await sender.send(event, { shiftSeconds })).toMatchObject({ status });
  });

  it("gets the same refusal for an unknown, unconnected or missing organization and one without secrets", async () => {
    const event = await sender.customerEvent("created", "cus_lost");
    const without = organizationOf(service, `${ours.organizationId}-without`);
    await without.connect((await provider.account(1)).apiKey);
    const { organizationId } = ours;
    const paths = [
      without.organizationId,
      "nobody",
      "",
      "%",
      "%ff%fe",
      "%00",
      "%20",
      `${organizationId}/`,
      `${organizationId}/x`,
      `/${organizationId}`,
      `${organizationId}%2Fx`,
      `${organizationId}%00`,
      `%20${organizationId}`,
      `${organizationId},nobody`,
      organizationId.toUpperCase(),
      "x".repeat(129),
      "x".repeat(5_000),
      encodeURIComponent("🌱".repeat(128)),
    ];
    for (const path of paths) await expectRefused(sender.send(event, { path }));
    await settled();
    expect(await customerOf("cus_lost")).toBeUndefined();
  });

  it("is refused after the account is disconnected, with the same answer", async () => {
    const event = await sender.customerEvent("created", "cus_after");
    expect((await ours.call("DELETE", "connection")).status).toBe(204);
    await expectRefused(sender.send(event));
    expect(await customerOf("cus_after")).toBeUndefined();
    await ours.connect(account.apiKey, { webhookSecret: sender.secret });
    expect(await sender.send(event)).toMatchObject({ status: 200 });
  });
});

describe("secrets", () => {
  beforeAll(connectAnother);

  it("may be several while one is rolled, and each of them is valid", async () => {
    const [old, fresh] = ["whsec_the_old_one", "whsec_the_fresh_one"];
    await ours.connect(account.apiKey, { webhookSecrets: [old, fresh] });
    const event = await sender.customerEvent("created", "cus_rolled");
    const body = JSON.stringify(event);
    expect(await sender.send(body, { secret: old })).toMatchObject({ status: 200 });
    expect(await sender.send(body, { secret: fresh })).toMatchObject({ status: 200 });
    const both = signatureOfAll(body, ["whsec_of_another_endpoint", fresh], await sender.nowSeconds());
    expect(await sender.send(body, { signature: both })).toMatchObject({ status: 200 });
    expect(await sender.send(body)).toMatchObject({ status: 400 });
  });
});

describe("the URL", () => {
  beforeAll(connectAnother);

  it("is in GET connection, with the organization percent-encoded", async () => {
    const strange = organizationOf(service, "grün/bike?a=1&b#c%41");
    const stranger = await provider.account(1);
    await strange.connect(stranger.apiKey, { webhookSecret: sender.secret });
    await strange.lastRun();
    const { webhookUrl } = (await strange.call("GET", "connection")).body as { webhookUrl: string };
    expect(webhookUrl).toBe(`${service.stack.webhookUrl}/${encodeURIComponent(strange.organizationId)}`);
    const event = await sender.customerEvent("created", "cus_strange");
    const path = webhookUrl.slice(`${service.stack.webhookUrl}/`.length);
    expect(await sender.send(event, { path })).toMatchObject({ status: 200, text: RECEIVED });
    await eventually("it is a record", async () =>
      (await strange.records("customers")).some(({ id }) => id === "cus_strange"),
    );
  });

  it.each(["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])("refuses %s", async (method) => {
    const answer = await sender.send(await sender.customerEvent("created", "cus_method"), { method });
    expect(answer).toMatchObject({ status: 405, text: expect.stringContaining('"error":40501') });
    expect(answer.headers.get("allow")).toBe("POST");
  });

  it.each([
    ["as text", "application/json"],
    ["as bytes", "application/octet-stream"],
  ])("accepts at most 1 MiB, %s", async (_, type) => {
    const headers = { "content-type": type };
    const answer = await sender.send("x".repeat(MIB + 1), { headers });
    expect(answer).toMatchObject({ status: 413, text: expect.stringContaining('"error":413') });
    expect(await sender.send("x".repeat(MIB), { headers })).toMatchObject({ status: 400 });
    // The limit counts bytes, not characters.
    expect(await sender.send("é".repeat(MIB / 2 + 1), { headers })).toMatchObject({ status: 413 });
  });

  it("refuses headers beyond Lambda's limits", async () => {
    const event = await sender.customerEvent("created", "cus_headers");
    const long = (characters: number) => sender.send(event, { headers: { "x-long": "x".repeat(characters) } });
    expect((await long(6_000)).status).toBe(200);
    expect((await long(12_000)).status).toBe(431);
    const signature = `t=${await sender.nowSeconds()},${"v1=".concat("0".repeat(64)).repeat(100)}`;
    expect((await sender.send(event, { signature })).status).toBe(400);
  });

  it("has the common headers in every answer", async () => {
    const { headers } = await sender.send({}, { signature: null });
    expect(headers.get("x-request-id")).toMatch(/\S/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-type")).toMatch(/^application\/json/);
  });
});

describe("the list of deliveries", () => {
  beforeAll(connectAnother);

  /** All deliveries, page by page. */
  const listOf = async (query = "", claims: object = {}, organization = ours) => {
    const { body, status } = await organization.call("GET", `webhooks?limit=1000${query}`, undefined, claims);
    expect(status).toBe(200);
    return body as (Record<string, unknown> & { id: string; status: string; receivedAt: number })[];
  };
  const deliveryOf = async (id: string) => (await listOf()).find((one) => one.id === id);
  const replay = (id: string, headers?: Record<string, string>, claims: object = {}, organization = ours) =>
    organization.call("POST", `webhooks/${id}/replay`, undefined, claims, headers);

  const client = () => {
    const opened = DynamoDBDocumentClient.from(engineClient(service.stack.dynamodbUrl), documentTranslation);
    const TableName = service.stack.tables.find((name) => name.includes("TablesWebhookEvents"));
    return { opened, TableName };
  };
  /** Stores a copy of an applied event as one that was given up: of another customer, with another id. */
  const storeFailed = async (appliedId: string, customerId: string): Promise<string> => {
    const { opened, TableName } = client();
    try {
      const Key = keyOf({ organizationId: ours.organizationId, id: appliedId });
      const { Item = {} } = await opened.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      const { outcome: _, processedAt: __, changed: ___, ...rest } = Item;
      const observations = String(rest.observations).replaceAll("cus_listed", customerId);
      const id = `evt_${customerId}`;
      const failed = { attempts: 10, failedAt: rest.receivedAt, failure: "The provider did not answer." };
      const key = keyOf({ organizationId: ours.organizationId, id });
      await opened.send(new PutCommand({ TableName, Item: { ...rest, ...key, observations, ...failed } }));
      return id;
    } finally {
      opened.destroy();
    }
  };
  let applied: { id: string; created: number };
  const applyOne = async () => {
    applied = await sender.customerEvent("created", "cus_listed");
    await sender.send(applied);
    await eventually("it is applied", async () => (await deliveryOf(applied.id))?.status === "applied");
  };

  it("has each event once with what it changed, newest first, by status and by page", async () => {
    await applyOne();
    await sender.send(applied);
    const unknown = { ...(await sender.customerEvent("created", "cus_no")), type: "balance.available" };
    await sender.send(unknown);
    await settled();
    const all = await listOf();
    expect(all).toEqual([
      {
        id: unknown.id,
        type: "balance.available",
        status: "ignored",
        outcome: "unknown",
        changes: [],
        createdAt: unknown.created * 1_000,
        receivedAt: expect.any(Number),
        processedAt: expect.any(Number),
      },
      {
        id: applied.id,
        type: "customer.created",
        status: "applied",
        outcome: "applied",
        attempts: 1,
        createdAt: applied.created * 1_000,
        receivedAt: expect.any(Number),
        processedAt: expect.any(Number),
        changes: [{ type: "customers", id: "cus_listed", written: true }],
      },
    ]);
    expect(await listOf("&status=applied", { role: "member" })).toEqual([all[1]]);
    expect(await listOf("&status=failed")).toEqual([]);
    const first = await ours.call("GET", "webhooks?limit=1");
    expect([first.body, (await ours.call("GET", first.next ?? "")).body]).toEqual([[all[0]], [all[1]]]);
    const other = organizationOf(service, `${ours.organizationId}-other`);
    expect(await listOf("", {}, other)).toEqual([]);
    expect(await other.call("GET", first.next ?? "")).toMatchObject({ status: 400, body: { error: 40003 } });
    expect(await ours.call("GET", "webhooks?status=forged")).toMatchObject({ status: 400, body: { error: 40002 } });
    expect(await ours.call("GET", "webhooks", undefined, { role: "guest" })).toMatchObject({ status: 403 });
  });

  it("has no forged delivery: administrators find those among the security events", async () => {
    const before = await listOf();
    expect(await sender.send(applied, { secret: "whsec_of_a_stranger" })).toMatchObject({ status: 400 });
    expect(await listOf()).toEqual(before);
    const [forged, ...others] = await ours.events("eventType=AUTHENTICATION_FAILURE&source=webhook");
    expect([forged, others]).toMatchObject([{ source: "webhook", action: "receive_webhook", success: false }, []]);
    const refused = await ours.call("GET", "security?source=webhook", undefined, { role: "billing" });
    expect(refused).toMatchObject({ status: 403 });
  });

  it("has failed deliveries, which a replay applies once", async () => {
    const id = await storeFailed(applied.id, "cus_replayed");
    expect(await listOf("&status=failed")).toMatchObject([
      { id, attempts: 10, error: "The provider did not answer.", changes: [{ type: "customers", id: "cus_replayed" }] },
    ]);
    const key = { "idempotency-key": randomBytes(8).toString("hex") };
    const answer = await replay(id, key, { role: "billing", userId: "bea" });
    expect(answer).toMatchObject({ status: 202, body: { id, status: "waiting", replayedAt: expect.any(Number) } });
    expect(await eventually("the customer is a record", () => customerOf("cus_replayed"))).toMatchObject({
      name: "Ada",
    });
    const done = await eventually("it is applied", async () => {
      const found = await deliveryOf(id);
      return found?.status === "applied" && found;
    });
    expect(done).toMatchObject({ attempts: 1, changes: [{ written: true }] });
    expect(done).not.toHaveProperty("error");
    // The same request gets the first answer; another one is refused.
    expect(await replay(id, key, { role: "billing", userId: "bea" })).toMatchObject({ status: 202, body: answer.body });
    expect(await replay(id)).toMatchObject({
      status: 409,
      body: { error: 40908, message: expect.stringMatching("applied") },
    });
    expect(await ours.events("eventType=WEBHOOK_REPLAYED")).toMatchObject([
      {
        source: "user",
        userId: "bea",
        success: true,
        resource: id,
        metadata: { eventId: id, type: "customer.created" },
      },
    ]);
  });

  it("replays a delivery once if two users do so at the same time", async () => {
    const id = await storeFailed(applied.id, "cus_raced");
    const answers = await Promise.all([replay(id), replay(id, {}, { role: "billing", userId: "bea" })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    await eventually("it is applied", async () => (await deliveryOf(id))?.status === "applied");
    expect(await customerOf("cus_raced")).toMatchObject({ name: "Ada" });
  });

  it("replays no delivery of another organization, none that is unknown, and for no member", async () => {
    const id = await storeFailed(applied.id, "cus_safe");
    const other = organizationOf(service, `${ours.organizationId}-other`);
    const notFound = { status: 404, body: { error: 40407, message: "There is no such delivery." } };
    expect(await replay(id, {}, {}, other)).toMatchObject(notFound);
    for (const unknown of ["evt_none", "%23gap", "x".repeat(1_025), "%00"]) {
      expect(await replay(unknown)).toMatchObject(notFound);
    }
    expect(await replay(id, {}, { role: "member" })).toMatchObject({ status: 403 });
    expect(await deliveryOf(id)).toMatchObject({ status: "failed" });
  });
});

describe("the platform's endpoint", () => {
  const PLATFORM = { path: "-/platform", secret: "whsec_local_platform" };
  beforeAll(connectAnother);

  it("gives an event to each organization that has connected its account, once, and to no other", async () => {
    const twin = organizationOf(service, `${ours.organizationId}-twin`);
    const other = organizationOf(service, `${ours.organizationId}-other`);
    await twin.connect(account.apiKey);
    await other.connect((await provider.account(1)).apiKey);
    await Promise.all([twin.lastRun(), other.lastRun()]);
    const event = { ...(await sender.customerEvent("created", "cus_platform")), account: account.accountId };
    for (let round = 0; round < 2; round++) {
      expect(await sender.send(event, PLATFORM)).toMatchObject({ status: 200, text: RECEIVED });
    }
    for (const organization of [ours, twin]) {
      await eventually("the customer is a record", () => customerOf("cus_platform", organization));
      const received = await organization.events("eventType=WEBHOOK_RECEIVED");
      const metadata = received.map((one) => one.metadata as { eventId: string });
      expect(metadata.filter(({ eventId }) => eventId === event.id)).toMatchObject([
        { endpoint: "platform", repeated: true },
        { endpoint: "platform", repeated: false },
      ]);
    }
    expect(await customerOf("cus_platform", other)).toBeUndefined();
    expect(await other.events("eventType=WEBHOOK_RECEIVED")).toEqual([]);
  });

  it("refuses every delivery that the platform's secret did not sign, with one answer", async () => {
    const event = { ...(await sender.customerEvent("created", "cus_forged")), account: account.accountId };
    const answers = [
      await sender.send(event, { ...PLATFORM, secret: sender.secret }),
      await sender.send(event, { ...PLATFORM, secret: "whsec_no" }),
      await sender.send(event, { ...PLATFORM, signature: null }),
      await sender.send(event, { ...PLATFORM, shiftSeconds: -301 }),
      await sender.send(event, { secret: PLATFORM.secret }),
      await sender.send(event, { ...PLATFORM, path: "-" }),
      await sender.send(event, { ...PLATFORM, path: "-/platform/" }),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 400 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await sender.send("x".repeat(MIB + 1), PLATFORM)).toMatchObject({ status: 413 });
    expect(await sender.send(event, { ...PLATFORM, method: "GET" })).toMatchObject({ status: 405 });
    expect(await customerOf("cus_forged")).toBeUndefined();
    expect(await deliveriesOf(event)).toEqual([]);
  });
});
