import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createIdempotencyStore, type IdempotencyStore } from "../../../shared/runtime/idempotency-store.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";

const table = {
  TableName: "keys",
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" as const },
    { AttributeName: "key", KeyType: "RANGE" as const },
  ],
  AttributeDefinitions: [
    { AttributeName: "scope", AttributeType: "S" as const },
    { AttributeName: "key", AttributeType: "S" as const },
  ],
};

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

let engine: EmbeddedDynamoDb;
let client: DynamoDBDocumentClient;
let keys: IdempotencyStore;
let scopes = 0;
let scope: string;

beforeAll(async () => {
  engine = await startEmbeddedDynamoDb(table);
  client = engine.documentClient(documentTranslation);
  keys = createIdempotencyStore(client, "keys");
});
afterAll(() => engine.stop());
beforeEach(() => {
  scope = `org#${++scopes}`;
});

const asked = (request = "sync {}", idempotencyKey = "key") => ({ scope, idempotencyKey, request });

describe("an Idempotency-Key", () => {
  it("returns the first request's value for one day", async () => {
    await expect(keys.reserve(asked(), "first", NOW)).resolves.toEqual({ isNew: true, value: "first" });
    await expect(keys.reserve(asked(), "second", NOW + DAY - 1)).resolves.toEqual({ isNew: false, value: "first" });
    await expect(keys.reserve(asked(), "third", NOW + DAY)).resolves.toEqual({ isNew: true, value: "third" });
  });

  it("is refused with another request", async () => {
    await keys.reserve(asked(), "first", NOW);
    await expect(keys.reserve(asked("sync {full}"), "second", NOW)).rejects.toMatchObject({
      code: "idempotency_conflict",
    });
  });

  it("is separate for each scope and key", async () => {
    await keys.reserve(asked(), "first", NOW);
    await expect(keys.reserve({ ...asked(), scope: `${scope}0` }, "other", NOW)).resolves.toMatchObject({
      isNew: true,
    });
    await expect(keys.reserve(asked("sync {}", "key "), "other", NOW)).resolves.toMatchObject({ isNew: true });
  });

  it("returns the same value to concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => keys.reserve(asked(), `value ${i}`, NOW)));
    expect(new Set(answers.map(({ value }) => value)).size).toBe(1);
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  it("is free again after a release by its owner, and only then", async () => {
    await keys.reserve(asked(), "first", NOW);
    await keys.release(asked(), "another");
    await expect(keys.reserve(asked(), "second", NOW)).resolves.toEqual({ isNew: false, value: "first" });
    await keys.release(asked(), "first");
    await keys.release(asked(), "first");
    await expect(keys.reserve(asked(), "second", NOW)).resolves.toEqual({ isNew: true, value: "second" });
  });

  it("costs a write unit the first time, and a read unit when repeated", async () => {
    const measure = countUnits(client);
    await expect(measure(() => keys.reserve(asked(), "first", NOW))).resolves.toEqual({ read: 0, write: 1 });
    await expect(measure(() => keys.reserve(asked(), "second", NOW))).resolves.toEqual({ read: 1, write: 0 });
  });

  it("counts as new if only the answer to its reservation was lost", async () => {
    const proxy = await startLossyProxy(engine.endpoint);
    const sdk = new DynamoDBClient({
      endpoint: proxy.url,
      region: "eu-central-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    });
    try {
      const lossy = createIdempotencyStore(DynamoDBDocumentClient.from(sdk, documentTranslation), "keys");
      await expect(lossy.reserve(asked(), "first", NOW)).resolves.toEqual({ isNew: true, value: "first" });
      await expect(lossy.release(asked(), "first")).resolves.toBeUndefined();
    } finally {
      sdk.destroy();
      proxy.stop();
    }
  });
});
