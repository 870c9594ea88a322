/** The table of webhook events, as the infrastructure defines it, and events as tests store them. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import type { WebhookEvent } from "../../../shared/webhooks/webhook-event.ts";
import type { TestTable } from "../../support/embedded-dynamodb.ts";
import { customer, seen } from "../../support/records.ts";

export const webhookTable = {
  TableName: "webhooks",
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" },
    { AttributeName: "id", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "scope", AttributeType: "S" },
    { AttributeName: "id", AttributeType: "S" },
    { AttributeName: "pendingShard", AttributeType: "S" },
    { AttributeName: "receivedAt", AttributeType: "N" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "byPending",
      KeySchema: [
        { AttributeName: "pendingShard", KeyType: "HASH" },
        { AttributeName: "receivedAt", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
    {
      IndexName: "byReceipt",
      KeySchema: [
        { AttributeName: "scope", KeyType: "HASH" },
        { AttributeName: "receivedAt", KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["outcome"] },
    },
  ],
  ttlAttribute: "ttl",
} satisfies TestTable;

/** A client of another endpoint of the engine. */
export const clientAt = (endpoint: string): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      endpoint,
      region: "eu-central-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
      maxAttempts: 3,
    }),
    documentTranslation,
  );

/** The arrival time of test events in epoch ms, and their creation time, one second earlier. */
export const NOW = Date.UTC(2026, 10, 21, 12, 30);
export const SECONDS = NOW / 1_000 - 1;

export const webhookEvent = (changes: Partial<WebhookEvent> = {}): WebhookEvent => ({
  id: "evt_1",
  type: "customer.updated",
  createdSeconds: SECONDS,
  objectId: "cus_1",
  observations: [customer(seen(SECONDS))],
  isDeauthorization: false,
  connectionId: "c1",
  accountId: "acct_1",
  receivedAt: NOW,
  ...changes,
});
