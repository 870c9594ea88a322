import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, types } from "node:util";
import { deserialize } from "node:v8";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as commands from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from "../support/embedded-dynamodb.ts";
import { tableDefinitions } from "./stack-tables.ts";
import type { StoreCall } from "./world.ts";

const SEEDS = 4;

let engine: EmbeddedDynamoDb;

beforeAll(async () => {
  engine = await startEmbeddedDynamoDb(...tableDefinitions);
});
afterAll(() => engine.stop());

/** The calls of some simulations with the answers of the store in memory. */
const recordedCalls = (seed: number): StoreCall[] => {
  const file = join(mkdtempSync(join(tmpdir(), "simulation-")), "calls");
  execFileSync(process.execPath, [join(import.meta.dirname, "simulate.ts"), "--seed", String(seed), "--calls", file]);
  return (deserialize(readFileSync(file)) as Buffer[]).map((call) => deserialize(call) as StoreCall);
};

type Thrown = { name: string; Item?: Parameters<typeof unmarshall>[0]; CancellationReasons?: { Code: string }[] };

/** What the engine answers: an output, or the name and details of an error. */
const ask = async (client: DynamoDBDocumentClient, { operation, input }: StoreCall): Promise<object> => {
  const Command = Reflect.get(commands, `${operation}Command`);
  if (Command === undefined) throw new Error(`There is no command ${operation}.`);
  try {
    const answer: object = await client.send(new Command(input));
    const output: { Attributes?: object } = Object.fromEntries(
      Object.entries(answer).filter(([name]) => name !== "$metadata" && name !== "ConsumedCapacity"),
    );
    // The engine returns the key as the old attributes of an item that did not exist; DynamoDB returns none.
    const isOnlyKey = (attributes: object) =>
      Object.keys(attributes).length === Object.keys(input.Key as object).length;
    if (input.ReturnValues === "ALL_OLD" && isOnlyKey(output.Attributes ?? {})) delete output.Attributes;
    return output;
  } catch (error) {
    const { name, Item, CancellationReasons } = error as Thrown;
    return { error: name, item: Item && unmarshall(Item), codes: CancellationReasons?.map(({ Code }) => Code) };
  }
};

const answerInMemory = ({ answer: { output, error, details = {} } }: StoreCall): object => {
  if (output !== undefined) return output;
  const { Item, CancellationReasons } = details as { Item?: object; CancellationReasons?: { Code: string }[] };
  return { error, item: Item, codes: CancellationReasons?.map(({ Code }) => Code) };
};

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** The same for equal values: sets and attributes in order, bytes and numbers as texts. */
const normalised = (value: unknown): unknown => {
  if (typeof value === "bigint" || typeof value === "number") return `number ${value}`;
  if (types.isUint8Array(value)) return Buffer.from(value).toString("base64");
  // Values from node:v8 are not of the realm of Jest's tests.
  if (types.isSet(value)) return [...value].sort();
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(fields.map(([name, one]) => [name, normalised(one)] as const).sort(byText));
};

/** A text that is equal for equal answers; the order of a batch does not matter. */
const textOf = (answer: object): string => {
  const { Responses = {}, UnprocessedItems: _, UnprocessedKeys: __, ...rest } = answer as Record<string, unknown>;
  if (Array.isArray(Responses)) return JSON.stringify(Responses.map(({ Error: error }) => error?.Code));
  const batches = Object.entries(Responses as Record<string, unknown[]>).map(([table, items]) => [
    table,
    items.map(normalised).sort(byText),
  ]);
  return JSON.stringify([normalised(rest), batches]);
};

it(`answers each call of ${SEEDS} simulations as the embedded engine does`, async () => {
  const client = engine.documentClient(documentTranslation);
  let compared = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    for (const call of recordedCalls(seed)) {
      const answer = textOf(await ask(client, call));
      if (textOf(answerInMemory(call)) !== answer)
        throw new Error(
          `${inspect(call, { depth: 8 })}\nin memory: ${textOf(answerInMemory(call))}\nthe engine: ${answer}`,
        );
      compared++;
    }
    await Promise.all(tableDefinitions.map(({ TableName }) => clear(client, TableName ?? "")));
  }
  expect(compared).toBeGreaterThan(SEEDS * 100);
});

/** Deletes all items of a table. */
const clear = async (client: DynamoDBDocumentClient, TableName: string): Promise<void> => {
  const { Items = [] } = await client.send(new commands.ScanCommand({ TableName }));
  const keys = tableDefinitions.find((table) => table.TableName === TableName)?.KeySchema ?? [];
  for (const item of Items) {
    const Key = Object.fromEntries(keys.map(({ AttributeName = "" }) => [AttributeName, item[AttributeName]]));
    await client.send(new commands.DeleteCommand({ TableName, Key }));
  }
};
