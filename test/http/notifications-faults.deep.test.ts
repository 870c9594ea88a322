/**
 * Notifications while senders are killed, receivers are dead or slow, and thousands of alerts come at once. Every alert is
 * in exactly one single notification or one summary of each destination that takes it, and doubles have the same id.
 */
import { BatchWriteCommand, DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { hashOfAlertId, unresolvedKey } from "../../shared/security/alerts/alert-item.ts";
import type { SecurityAlertChanged } from "../../shared/security/alerts/alert-publisher.ts";
import { EVENT_SOURCE } from "../../shared/terms/event-source.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { controlOf } from "../support/control.ts";
import { rangeOf } from "../support/depth.ts";
import { killInstances } from "../support/instance-processes.ts";
import { eventually } from "../support/integration.ts";
import { startTestCloud } from "../support/local-cloud.ts";
import { changeOf } from "../support/notifications.ts";
import { createRandom } from "../support/random.ts";
import { AWS_CALLER, assemblyWithCode } from "../support/replaced-function.ts";
import { useReceivers } from "../support/use-service.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";

const NOTIFICATIONS = "/api/integrations/provider/notifications";
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;

const startReceiver = useReceivers();
/** Makes calls with the rights of a function that publishes alerts. */
const replaced = assemblyWithCode("CreatePlant", AWS_CALLER);
const cloud = await startTestCloud({ assemblyDirectory: replaced.directory });
afterAll(async () => {
  await cloud.stop();
  expect(cloud.denials).toEqual([]);
  replaced.remove();
});

const functionOf = (name: string) => {
  const found = cloud.model.functions.find(({ logicalId }) => logicalId.includes(name));
  if (found === undefined) throw new Error(`There is no function ${name}.`);
  return found;
};

/** The tables of the cloud past every role, for what no endpoint makes or shows. */
const withTable = async <Result>(
  name: string,
  work: (client: DynamoDBDocumentClient, tableName: string) => Promise<Result>,
): Promise<Result> => {
  const tableName = cloud.stack.tables.find((one) => one.includes(name));
  if (tableName === undefined) throw new Error(`There is no table ${name}.`);
  const client = DynamoDBDocumentClient.from(engineClient(cloud.stack.dynamodbUrl), documentTranslation);
  try {
    return await work(client, tableName);
  } finally {
    client.destroy();
  }
};

/** Stores the alerts: what is dispatched late is read again. */
const storeAlerts = (changes: readonly SecurityAlertChanged[]): Promise<void> =>
  withTable("TablesSecurityAlerts", async (client, tableName) => {
    const puts = changes.map(({ organizationId = "", alert }) => ({
      PutRequest: {
        Item: {
          scope: organizationKey(organizationId),
          key: unresolvedKey(hashOfAlertId(alert.id) ?? ""),
          ...alert,
          eventIds: [],
          ttl: Math.ceil((Date.now() + WEEK_MS) / 1_000),
        },
      },
    }));
    for (const i of rangeOf(Math.ceil(puts.length / 25)))
      await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts.slice(25 * i, 25 * i + 25) } }));
  });

/** Stores alerts, and publishes their changes on the bus, ten a call. */
const publish = async (changes: readonly SecurityAlertChanged[]): Promise<void> => {
  await storeAlerts([...new Map(changes.map((change) => [change.alert.id, change])).values()]);
  const { arn, environment } = functionOf("CreatePlant");
  const batches = rangeOf(Math.ceil(changes.length / 10)).map((i) => changes.slice(10 * i, 10 * i + 10));
  const sendNext = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      const Entries = batch.map((change) => ({
        Source: EVENT_SOURCE,
        DetailType: "SecurityAlertChanged",
        Detail: JSON.stringify(change),
        EventBusName: environment.EVENT_BUS_NAME,
      }));
      const call = { service: "events", target: "AWSEvents.PutEvents", version: "1.1", input: { Entries } };
      const result = await cloud.functions.invoke(arn, JSON.stringify({ body: JSON.stringify(call) }));
      if (!result.ok || !result.payload.includes('\\"FailedEntryCount\\":0')) throw new Error(JSON.stringify(result));
    }
  };
  await Promise.all(rangeOf(4).map(sendNext));
};

type Destination = { id: string; secret: string };
type Delivery = { id: string; type: string; status: string; error?: string; attempts: object[] };

/** An organization with destinations at a receiver, each at a path of its own. */
const organizationOf = (organizationId: string) => {
  const destinations = new Map<string, Destination>();
  const call = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const token = await cloud.token({ organizationId, role: "admin", userId: "ada" });
    const answer = await cloud.call(method, NOTIFICATIONS + path, { token, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Body;
  };
  return {
    organizationId,
    /** @param origin of the receiver. */
    async add(name: string, origin: string, filter: object = {}): Promise<Destination> {
      const body = { type: "webhook", name, url: `${origin}/${name}`, filter };
      const made = await call<Destination>("POST", "", body);
      destinations.set(`/${name}`, made);
      return made;
    },
    deliveries: (name: string) => call<Delivery[]>("GET", `/${destinations.get(`/${name}`)?.id}/deliveries?limit=100`),
    alerts: (count: number, more: (i: number) => object = () => ({})) =>
      rangeOf(count).map((i) => changeOf(`${organizationId} ${i}`, { organizationId, at: Date.now(), ...more(i) })),
    /** What arrived at a destination by `webhook-id`, verified. Doubles are the same text. */
    arrivedAt(name: string, receiver: Pick<Awaited<ReturnType<typeof startWebhookReceiver>>, "received">) {
      const webhook = new Webhook(destinations.get(`/${name}`)?.secret ?? "");
      const found = new Map<string, { type: string; data: { alert?: { id: string }; total?: number } }>();
      for (const { path, headers, body } of receiver.received) {
        if (path !== `/${name}`) continue;
        const id = String(headers["webhook-id"]);
        // The package would compare the time with this machine's clock, which the test does not move.
        const signature = webhook.sign(id, new Date(1_000 * Number(headers["webhook-timestamp"])), body);
        expect(String(headers["webhook-signature"]).split(" ")).toContain(signature);
        const one = JSON.parse(body);
        if (found.has(id)) expect(one).toEqual(found.get(id));
        found.set(id, one);
      }
      return found;
    },
  };
};

/** The alerts that wait in, or were part of, each summary, by the id of its delivery. */
const heldAlerts = (): Promise<Map<string, string[]>> =>
  withTable("TablesNotifications", async (client, TableName) => {
    const held = new Map<string, string[]>();
    for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
      for (const { key } of Items) {
        const [kind, destinationId, deliveryId, alertId = ""] = String(key).split("#");
        const id = `${destinationId}_${deliveryId}`;
        if (kind === "held") held.set(id, [...(held.get(id) ?? []), alertId]);
      }
    }
    return held;
  });

const queueDepth = async (name: string): Promise<number> => {
  const found = (await controlOf(cloud).queues()).filter(
    (queue) => queue.name.includes(name) && !/DeadLetters/.test(queue.name),
  );
  return found.reduce((sum, { depth }) => sum + depth.visible + depth.inFlight, 0);
};

describe("killed functions", () => {
  it("lose nothing, and a repeated notification has the same id", async () => {
    const receiver = await startReceiver();
    const { add, alerts, arrivedAt, organizationId } = organizationOf("killed");
    const names = rangeOf(8).map((n) => `d${n}`);
    for (const name of names) await add(name, receiver.origin);
    const changes = alerts(15);
    const random = createRandom(7);
    // Kills senders that have sent and wait for the answer, and dispatchers at the same time.
    const moments = new Set(rangeOf(12).map((n) => 3 + 10 * n + Math.floor(random() * 8)));
    const killed = { senders: 0, dispatchers: 0 };
    receiver.answer = (response) => {
      if (!moments.has(receiver.received.length)) return void setTimeout(() => response.writeHead(204).end(), 30);
      if (killInstances(functionOf("SendNotifications").codeDirectory)) killed.senders++;
      if (random() < 0.4 && killInstances(functionOf("DispatchNotifications").codeDirectory)) killed.dispatchers++;
    };
    // Some events come twice.
    await publish([...changes, ...changes.slice(0, 5)]);
    const all = () => names.every((name) => arrivedAt(name, receiver).size >= changes.length);
    for (let i = 0; !all() && i < 12; i++) await cloud.advanceClock(6 * MINUTE_MS + 1_000, "last");
    process.stdout.write(
      `\n${organizationId}: ${killed.senders} senders, ${killed.dispatchers} dispatchers; ${receiver.received.length} requests for ${names.length * changes.length} notifications\n`,
    );
    expect(killed.senders).toBeGreaterThan(5);
    const wanted = changes.map(({ alert }) => alert.id).sort();
    for (const name of names) {
      const arrived = [...arrivedAt(name, receiver).values()].map(({ data }) => data.alert?.id);
      expect(arrived.sort()).toEqual(wanted);
    }
  });
});

describe("receivers", () => {
  it("that are dead, slow or never end their answer get everything once they answer", async () => {
    const { add, alerts, arrivedAt, deliveries } = organizationOf("receivers");
    const gone = await startWebhookReceiver();
    await gone.stop();
    const [slow, endless, silent] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    await add("dead", gone.origin);
    await add("slow", slow.origin);
    await add("endless", endless.origin);
    await add("silent", silent.origin);
    slow.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 8_000);
    endless.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("still here "), 200);
      response.once("close", () => clearInterval(timer));
    };
    let asked = 0;
    silent.answer = (response) => (++asked <= 3 ? undefined : response.writeHead(204).end());
    const changes = alerts(3);
    await publish(changes);
    const areTried = async (name: string) =>
      (await deliveries(name)).filter(({ attempts }) => attempts.length > 0).length === changes.length;
    await eventually("the dead receiver was tried", () => areTried("dead"));
    // Deliveries wait for each other's slots, so the first may have had its second try by now.
    const [tried] = await deliveries("dead");
    expect(tried?.status).toBe("pending");
    expect(tried?.attempts[0]).toMatchObject({ error: "not_connected" });
    const revived = await startReceiver(gone.port);
    for (const name of ["slow", "endless", "silent"]) await eventually(`${name} was tried`, () => areTried(name));
    expect((await deliveries("silent"))[0]?.attempts[0]).toMatchObject({ error: "timed_out" });
    await eventually("all have arrived", async () => {
      await cloud.advanceClock(70_000, "last");
      const lists = await Promise.all(["dead", "slow", "endless", "silent"].map(deliveries));
      return lists.flat().every(({ status }) => status === "delivered");
    });
    const wanted = changes.map(({ alert }) => alert.id).sort();
    for (const [name, receiver] of Object.entries({ dead: revived, slow, endless, silent })) {
      const arrived = [...arrivedAt(name, receiver).values()].map(({ data }) => data.alert?.id);
      expect([name, arrived.sort()]).toEqual([name, wanted]);
    }
    // A slow answer, and one that never ends, are answers: nothing was sent again.
    expect([slow.received.length, endless.received.length]).toEqual([3, 3]);
  });

  it("get a notification once if the queue delivers its message twice", async () => {
    const receiver = await startReceiver();
    const { add, alerts, deliveries, organizationId } = organizationOf("twice");
    const { id: destinationId } = await add("all", receiver.origin);
    const waiting: (() => void)[] = [];
    receiver.answer = (response) => void waiting.push(() => response.writeHead(204).end());
    await publish(alerts(5));
    await receiver.until(5);
    const sendAgain = async () => {
      const Records = (await deliveries("all")).map(({ id }) => ({
        messageId: id,
        receiptHandle: id,
        attributes: { ApproximateReceiveCount: "2" },
        body: JSON.stringify({ organizationId, destinationId, deliveryId: id.split(".")[1] }),
      }));
      const result = await cloud.functions.invoke(functionOf("SendNotifications").arn, JSON.stringify({ Records }));
      return result.ok ? (JSON.parse(result.payload) as { batchItemFailures: object[] }).batchItemFailures.length : -1;
    };
    // While another instance sends them, the messages stay; after that they are done.
    expect(await sendAgain()).toBe(5);
    for (const answer of waiting) answer();
    await eventually("all are delivered", async () =>
      (await deliveries("all")).every(({ status }) => status === "delivered"),
    );
    expect(await sendAgain()).toBe(0);
    expect(receiver.received).toHaveLength(5);
  });
});

describe("2,000 alerts at once", () => {
  const ALERTS = 2_000;

  it("are 20 single notifications of each level and one summary of each destination that takes them", async () => {
    const receiver = await startReceiver();
    const { add, alerts, arrivedAt, deliveries } = organizationOf("storm");
    const wanted: Record<string, (i: number) => boolean> = {
      all: () => true,
      critical: (i) => i % 10 === 0,
      policy: (i) => i % 20 === 1,
    };
    const made = new Map([
      ["all", await add("all", receiver.origin)],
      ["critical", await add("critical", receiver.origin, { levels: ["CRITICAL"] })],
      ["policy", await add("policy", receiver.origin, { rules: ["policy_violation"], changes: ["raised"] })],
    ]);
    const changes = alerts(ALERTS, (i) => ({
      level: wanted.critical?.(i) ? "CRITICAL" : "HIGH",
      rule: wanted.policy?.(i) ? "policy_violation" : "system_errors",
    }));
    const before = cloud.calls();
    const startedAt = performance.now();
    const secondsNow = () => ((performance.now() - startedAt) / 1_000).toFixed(1);
    const dispatching = publish(changes);
    await eventually("the single ones have arrived", async () => receiver.received.length >= 60);
    const singles = secondsNow();
    await dispatching;
    const published = secondsNow();
    await eventually("all are dispatched", async () => (await queueDepth("ToNotify")) === 0);
    const dispatched = secondsNow();
    for (let i = 0; i < 4; i++) await cloud.advanceClock(5 * MINUTE_MS, "last");
    const calls = Object.entries(cloud.calls())
      .map(([action, count]) => [action, count - (before[action] ?? 0)] as const)
      .filter(([action, count]) => count > 0 && /sqs|Notif|dynamodb|kms/.test(action));
    process.stdout.write(
      `\nseconds: published ${published}, 60 single ones ${singles}, dispatched ${dispatched}; requests ${receiver.received.length}; ${calls.map((one) => one.join(" ")).join(", ")}\n`,
    );

    const held = await heldAlerts();
    for (const [name, destination] of made) {
      const arrived = arrivedAt(name, receiver);
      const single = [...arrived.values()].flatMap(({ data }) => (data.alert === undefined ? [] : [data.alert.id]));
      const summaries = [...arrived].filter(([, { type }]) => type === "security.alerts.summary");
      for (const [id, { data }] of summaries) expect(data.total).toBe(held.get(id)?.length);
      const summarized = summaries.flatMap(([id]) => held.get(id) ?? []);
      expect([name, single.length % 20]).toEqual([name, 0]);
      // HIGH and CRITICAL have 20 places each.
      expect(single.length).toBeLessThanOrEqual((name === "all" ? 40 : 20) * summaries.length);
      const ids = changes.filter((_, i) => wanted[name]?.(i)).map(({ alert }) => alert.id);
      expect([...single, ...summarized].sort()).toEqual(ids.sort());
      // Nothing is left in a summary that was not sent.
      const own = [...held.keys()].filter((id) => id.startsWith(destination.id));
      expect(own.sort()).toEqual(summaries.map(([id]) => id).sort());
      expect((await deliveries(name)).filter(({ status }) => status !== "delivered")).toEqual([]);
    }
  });
});
