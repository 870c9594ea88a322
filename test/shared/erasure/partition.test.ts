import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createPartitions } from "../../../shared/erasure/partition-store.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { followPlan } from "../../faults/fault-plan.ts";
import { type FaultProxy, startFaultProxy } from "../../faults/fault-proxy.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { jobTable, TABLE } from "../work/job-table.ts";

let engine: EmbeddedDynamoDb;
let proxy: FaultProxy;
beforeAll(async () => {
  engine = await startEmbeddedDynamoDb(jobTable);
  proxy = await startFaultProxy(engine.endpoint);
});
afterAll(async () => {
  await proxy.close();
  await engine.stop();
});

describe("an item that a transaction holds", () => {
  it("is cleaned by another attempt, so that the next pass does not count it again", async () => {
    const client = DynamoDBDocumentClient.from(engine.client({ endpoint: proxy.url }), documentTranslation);
    const key = { scope: "org#acme", key: "one" };
    await client.send(new PutCommand({ TableName: TABLE, Item: { ...key, userId: "eve" } }));
    const tables = { records: TABLE, webhookEvents: TABLE, runs: TABLE, alerts: TABLE, detection: TABLE };
    const others = {
      reports: TABLE,
      events: TABLE,
      rollups: TABLE,
      erasures: TABLE,
      notifications: TABLE,
      exports: TABLE,
    };
    const { records } = createPartitions(client, { ...tables, ...others })("acme");
    proxy.use(followPlan({ call: `dynamodb:UpdateItem:${TABLE}#1`, fault: "conflict", times: "twice" }));
    await records.apply([{ key: "one", change: { remove: ["userId"], set: {} } }]);
    proxy.use(undefined);
    const { Item } = await client.send(new GetCommand({ TableName: TABLE, Key: key }));
    expect(Item).toEqual(key);
  });
});
