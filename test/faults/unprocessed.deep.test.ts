/** The loops over items that a service leaves undone, against the embedded engine and the local bus. */
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createEventBridge } from "../../shared/runtime/event-bridge.ts";
import { createEventBus } from "../../shared/runtime/event-bus.ts";
import { createTable, type Table } from "../../shared/runtime/table.ts";
import { deleteItems, getItems } from "../../shared/runtime/table-batches.ts";
import { rangeOf } from "../support/depth.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../support/embedded-dynamodb.ts";
import { startMessagingGateway } from "../support/messaging-gateway.ts";
import { functionArn, stackModel } from "../support/stack-model.ts";
import type { FaultName } from "./fault.ts";
import { followPlan, type Times } from "./fault-plan.ts";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.ts";

const TableName = "items";
const keys = rangeOf(60).map((n) => ({ id: `id-${n}` }));

const BUS = "the-bus";
const busArn = `arn:aws:events:eu-central-1:000000000000:event-bus/${BUS}`;
const model = stackModel({ roles: { publisher: [{ Effect: "Allow", Action: "events:PutEvents", Resource: busArn }] } });
model.buses.push({ name: BUS, arn: busArn });

let engine: EmbeddedDynamoDb;
let store: FaultProxy;
let direct: DynamoDBDocumentClient;
let table: Table<"circuits">;
let gateway: Awaited<ReturnType<typeof startMessagingGateway>>;
let busProxy: FaultProxy;

beforeAll(async () => {
  engine = await startEmbeddedDynamoDb({
    TableName,
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  });
  store = await startFaultProxy(engine.endpoint);
  direct = engine.documentClient(documentTranslation);
  const client = DynamoDBDocumentClient.from(engine.client({ endpoint: store.url }), documentTranslation);
  table = createTable(client, TableName);
  gateway = await startMessagingGateway(model);
  busProxy = await startFaultProxy(gateway.url);
});
afterEach(() => {
  store.use(undefined);
  busProxy.use(undefined);
});
afterAll(async () => {
  await Promise.all([store.close(), busProxy.close(), gateway.close()]);
  await engine.stop();
});

const writeAll = () =>
  Promise.all(keys.map(({ id }) => direct.send(new PutCommand({ TableName, Item: { id, text: "a", extra: "b" } }))));
const stored = async () => (await direct.send(new ScanCommand({ TableName }))).Count;

describe("deleting items that the store leaves undone", () => {
  const fail = (fault: FaultName, times: Times) =>
    store.use(followPlan({ call: `dynamodb:BatchWriteItem:${TableName}#1`, fault, times }));

  it.each<[FaultName, Times]>([
    ["unprocessed", "twice"],
    ["unprocessed_all", "twice"],
  ])("deletes them all (%s, %s)", async (fault, times) => {
    await writeAll();
    fail(fault, times);
    await deleteItems(table, keys);
    await expect(stored()).resolves.toBe(0);
  });

  it("sends only the items that are left", async () => {
    await writeAll();
    fail("unprocessed", "once");
    await deleteItems(table, keys.slice(0, 10));
    const sent = store
      .requests()
      .map(({ json }) => (json as { RequestItems: { items: unknown[] } }).RequestItems.items.length);
    expect(sent).toEqual([10, 5]);
    await expect(stored()).resolves.toBe(50);
  });

  it("gives up after eight attempts", async () => {
    await writeAll();
    fail("unprocessed_all", "always");
    await expect(deleteItems(table, keys.slice(0, 10))).rejects.toMatchObject({
      code: "store_unavailable",
    });
    expect(store.requests()).toHaveLength(8);
    await expect(stored()).resolves.toBe(60);
  });
});

describe("reading items that the store leaves unread", () => {
  const fail = (fault: FaultName, times: Times) =>
    store.use(followPlan({ call: `dynamodb:BatchGetItem:${TableName}#1`, fault, times }));
  const reading = { ConsistentRead: true, ProjectionExpression: "#id, #extra" };

  it.each<[FaultName, Times]>([
    ["unprocessed", "once"],
    ["unprocessed", "twice"],
    ["unprocessed_all", "twice"],
  ])("returns each once, as it was asked for, with the units of all calls (%s, %s)", async (fault, times) => {
    await writeAll();
    fail(fault, times);
    const { items, units } = await getItems(table, keys, { isConsistent: true, attributes: ["id", "extra"] });
    expect(items.toSorted((a, b) => String(a.id).localeCompare(String(b.id)))).toEqual(
      keys.map(({ id }) => ({ id, extra: "b" })).toSorted((a, b) => a.id.localeCompare(b.id)),
    );
    expect(units).toBe(60);
    expect(store.requests().map(({ json }) => json)).toEqual(
      store.requests().map(() => ({
        RequestItems: { [TableName]: expect.objectContaining(reading) },
        ReturnConsumedCapacity: "TOTAL",
      })),
    );
  });

  it("gives up after four attempts", async () => {
    fail("unprocessed_all", "always");
    await expect(getItems(table, keys)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(store.requests()).toHaveLength(4);
  });
});

describe("publishing events that the bus refuses", () => {
  const fail = (fault: FaultName, times: Times) =>
    busProxy.use(followPlan({ call: "events:PutEvents:Counted#1", fault, times }));
  const events = rangeOf(15).map((n) => ({ source: "tests", detailType: "Counted", detail: { n } }));
  const publish = async () => {
    const place = {
      region: model.region,
      endpoint: busProxy.url,
      credentials: gateway.credentialsFor(functionArn("publisher")),
    };
    const before = gateway.buses.publishedSince(0).length;
    const unpublished = await createEventBus(createEventBridge(place), BUS).publish(events);
    const published = gateway.buses
      .publishedSince(0)
      .slice(before)
      .map(({ event }) => Number(event.detail.n));
    return { unpublished, published: published.sort((a, b) => a - b) };
  };

  it.each<[FaultName, Times]>([
    ["failed_entries", "once"],
    ["failed_entries", "twice"],
    ["failed_entries_all", "twice"],
  ])("publishes each once (%s, %s)", async (fault, times) => {
    fail(fault, times);
    await expect(publish()).resolves.toEqual({ unpublished: [], published: rangeOf(15) });
  });

  it("returns those that it refuses four times, with the reason", async () => {
    fail("failed_entries_all", "always");
    const { unpublished, published } = await publish();
    expect(published).toEqual([]);
    expect(unpublished).toEqual(events.map((event) => ({ event, reason: "ThrottlingException" })));
    expect(busProxy.requests()).toHaveLength(8);
  });
});
