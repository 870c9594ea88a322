import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { conditionalTransaction, conditionalWrite } from "../../../shared/runtime/conditional-write.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createTable, putItem, unchanged } from "../../../shared/runtime/table.ts";
import { startEmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { attempts, startScriptedStore } from "../../support/scripted-store.ts";
import { usePerFile } from "../../support/use-started.ts";

const table = {
  TableName: "items",
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" as const }],
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" as const }],
};

const engine = usePerFile(() => startEmbeddedDynamoDb(table));
let client: DynamoDBDocumentClient;
let id = "0";

beforeAll(() => {
  client = engine.documentClient();
});
beforeEach(() => {
  id = String(Number(id) + 1);
});

const proxy = usePerFile(() => startLossyProxy(engine.endpoint));
/** A client of the engine that loses the first answer to each call. */
const lossy = () => engine.clientAt(proxy.url);

const put = (fields: Record<string, unknown>) =>
  new PutCommand({
    TableName: "items",
    Item: { id, ...fields },
    ConditionExpression: "attribute_not_exists(id)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });

const create = (fields: Record<string, unknown>, by = client) =>
  conditionalWrite((options) => by.send(put(fields), options));

describe("a conditional write", () => {
  it("writes if its condition holds, and otherwise returns the stored item", async () => {
    const item = { text: "a", list: [1, 9007199254740993n], set: new Set(["x"]), map: { yes: true, none: null } };
    await expect(create(item)).resolves.toMatchObject({ written: true, isRepeated: false });
    await expect(create({})).resolves.toEqual({ written: false, item: { id, ...item }, isRepeated: false });
  });

  it("reports that the SDK retried it if an answer was lost", async () => {
    const result = await create({ token: "own" }, lossy());
    expect(result).toEqual({ written: false, item: { id, token: "own" }, isRepeated: true });
  });

  it.each([
    ["another transaction holds the item", attempts.refuse("TransactionConflictException")],
    ["the store refuses", attempts.refuse("AccessDeniedException")],
  ])("throws store_unavailable if %s", async (_when, attempt) => {
    const store = await startScriptedStore([attempt]);
    const scripted = new DynamoDBClient({
      endpoint: store.endpoint,
      region: "local",
      credentials: { accessKeyId: "a", secretAccessKey: "b" },
      maxAttempts: 1,
    });
    try {
      const result = create({}, DynamoDBDocumentClient.from(scripted, documentTranslation));
      await expect(result).rejects.toMatchObject({ code: "store_unavailable" });
    } finally {
      scripted.destroy();
      await store.stop();
    }
  });
});

describe("a conditional transaction", () => {
  const transact = (...conditions: ("holds" | "fails")[]) => {
    const items = conditions.map((condition, index) => ({
      Put: {
        TableName: "items",
        Item: { id: `${id}-${index}` },
        ConditionExpression: condition === "holds" ? "attribute_not_exists(id)" : "attribute_exists(id)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
      },
    }));
    const command = new TransactWriteCommand({ ClientRequestToken: `token-${id}`, TransactItems: items });
    return conditionalTransaction((options) => client.send(command, options));
  };

  it("is written if all conditions hold", async () => {
    await expect(transact("holds", "holds")).resolves.toEqual({ written: true });
  });

  it("names the positions of the conditions that failed", async () => {
    const result = await transact("holds", "fails", "holds");
    expect(result.written ? undefined : [...result.failedConditions.keys()]).toEqual([1]);
  });
});

describe("a put that requires the version that was read", () => {
  const replace = async (version: string, previous: string | undefined, by = client) => {
    const condition = { ...unchanged("version", previous), own: "version" };
    return (await putItem(createTable<"circuits">(by, "items"), { id, version }, condition)).written;
  };

  it("is refused if another write came first", async () => {
    await expect(replace("1", undefined)).resolves.toBe(true);
    await expect(replace("2", undefined)).resolves.toBe(false);
    await expect(replace("2", "1")).resolves.toBe(true);
    await expect(replace("3", "1")).resolves.toBe(false);
  });

  it("is written once if its answer is lost", async () => {
    await expect(replace("1", undefined, lossy())).resolves.toBe(true);
    await expect(replace("2", "1", lossy())).resolves.toBe(true);
  });
});
