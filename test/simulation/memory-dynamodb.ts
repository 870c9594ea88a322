/**
 * DynamoDB in memory, for the operations and expressions that the product uses: from the input of a command of the
 * document client to its output. memory-dynamodb.deep.test.ts compares it with the embedded engine, call by call.
 */
import { inspect } from "node:util";
import {
  applyUpdate,
  type Expressions,
  holds,
  InvalidExpression,
  type Item,
  project,
  updatedAttributes,
} from "../support/expressions.ts";
import { callOf, type Statement } from "./memory-partiql.ts";
import { createTable, type MemoryTable, type TableKeys } from "./memory-table.ts";

/** The input of a command. */
export type Input = Record<string, unknown> & {
  TableName?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
};

/** A copy without undefined attributes, as the document client sends it. */
const copyOf = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(copyOf) as Value;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (value instanceof Set) return new Set(value) as Value;
  const copy: Item = {};
  for (const [name, one] of Object.entries(value)) if (one !== undefined) copy[name] = copyOf(one);
  return copy as Value;
};

/** An error as DynamoDB answers it, with status 400. */
export class StoreError extends Error {
  readonly details: Record<string, unknown>;

  constructor(name: string, details: Record<string, unknown> = {}) {
    super(name);
    this.name = name;
    this.details = details;
  }
}

const expressionsOf = (input: Input): Expressions => ({
  ConditionExpression: String(input.ConditionExpression ?? ""),
  UpdateExpression: String(input.UpdateExpression ?? ""),
  ExpressionAttributeNames: input.ExpressionAttributeNames ?? {},
  ExpressionAttributeValues: copyOf(input.ExpressionAttributeValues ?? {}),
});

type Write = { name: string; table: MemoryTable; key: Item; before: Item | undefined; after: Item | undefined };

/** A change of one item; `before` or `after` is missing where there is no item. */
export type Change = { table: string; before: Item | undefined; after: Item | undefined };

/** @param onChange called with each change of an item. It must not change the items. */
export const createMemoryDynamoDb = (tables: ReadonlyMap<string, TableKeys>, onChange: (change: Change) => void) => {
  const stored = new Map([...tables].map(([name, keys]) => [name, createTable(keys)]));
  /** The answered transactions, by their token. */
  const transactions = new Map<string, string>();

  const tableOf = (name: unknown): MemoryTable => {
    const table = stored.get(String(name));
    if (table === undefined) throw new StoreError("ResourceNotFoundException");
    return table;
  };

  const shown = (item: Item | undefined, input: Input): Item | undefined => {
    if (item === undefined) return undefined;
    const { ProjectionExpression: projection, ExpressionAttributeNames: names = {} } = input;
    return copyOf(projection === undefined ? item : project(String(projection), names, item));
  };

  const failedCondition = (item: Item | undefined, input: Input) => ({
    message: "The conditional request failed",
    ...(item !== undefined && input.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && { Item: copyOf(item) }),
  });

  /** What a write would change. @throws StoreError if its condition does not hold. */
  const prepare = (operation: string, input: Input): Write => {
    const name = String(input.TableName);
    const table = tableOf(name);
    const put = operation === "Put" ? copyOf(input.Item as Item) : undefined;
    const key = table.keyOf(put ?? (input.Key as Item));
    const before = table.get(key);
    const expressions = expressionsOf(input);
    if (!holds(expressions, before)) {
      throw new StoreError("ConditionalCheckFailedException", failedCondition(before, input));
    }
    if (operation !== "Update")
      return { name, table, key, before, after: operation === "ConditionCheck" ? before : put };
    try {
      return { name, table, key, before, after: applyUpdate(expressions, before, key) };
    } catch (error) {
      if (error instanceof InvalidExpression) throw new StoreError("ValidationException", { message: error.message });
      throw error;
    }
  };

  const carryOut = ({ name, table, key, before, after }: Write): void => {
    if (after === undefined) table.delete(key);
    else table.put(after);
    onChange({ table: name, before, after });
  };

  const returned = (input: Input, { before, after }: Write): { Attributes?: Item } => {
    const wanted = input.ReturnValues ?? "NONE";
    const attributes = wanted === "ALL_OLD" ? before : wanted === "ALL_NEW" ? after : undefined;
    if (attributes !== undefined) return { Attributes: copyOf(attributes) };
    if (wanted !== "UPDATED_NEW" || after === undefined) return {};
    return {
      Attributes: copyOf(
        Object.fromEntries(updatedAttributes(expressionsOf(input)).map((name) => [name, after[name]])),
      ),
    };
  };

  const write = (operation: string) => (input: Input) => {
    const change = prepare(operation, input);
    carryOut(change);
    return returned(input, change);
  };

  const get = (input: Input) => {
    const item = tableOf(input.TableName).get(input.Key as Item);
    return item === undefined ? {} : { Item: shown(item, input) };
  };

  const query = (input: Input) => {
    const table = tableOf(input.TableName);
    const index = input.IndexName === undefined ? undefined : String(input.IndexName);
    const expressions = expressionsOf(input);
    const found = table.query({
      index,
      expressions: { ...expressions, ConditionExpression: String(input.KeyConditionExpression) },
      isBackwards: input.ScanIndexForward === false,
      start: input.ExclusiveStartKey as Item | undefined,
      limit: input.Limit === undefined ? Number.POSITIVE_INFINITY : Number(input.Limit),
    });
    const filter = { ...expressions, ConditionExpression: String(input.FilterExpression ?? "") };
    const items = found.items.filter((item) => holds(filter, item));
    return {
      Count: items.length,
      ScannedCount: found.items.length,
      ...(input.Select !== "COUNT" && { Items: items.map((item) => shown(item, input)) }),
      ...(found.last !== undefined && { LastEvaluatedKey: found.last }),
    };
  };

  const batchGet = (input: Input) => {
    const requests = input.RequestItems as Record<string, Input & { Keys: Item[] }>;
    const read = ([name, request]: [string, Input & { Keys: Item[] }]) => {
      const items = request.Keys.flatMap((key) => shown(tableOf(name).get(key), request) ?? []);
      return [name, items] as const;
    };
    return { Responses: Object.fromEntries(Object.entries(requests).map(read)), UnprocessedKeys: {} };
  };

  type BatchWrite = { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } };

  const batchWrite = (input: Input) => {
    for (const [TableName, requests] of Object.entries(input.RequestItems as Record<string, BatchWrite[]>)) {
      for (const { PutRequest: put, DeleteRequest: remove } of requests) {
        carryOut(put ? prepare("Put", { TableName, ...put }) : prepare("Delete", { TableName, ...remove }));
      }
    }
    return { UnprocessedItems: {} };
  };

  const transactWrite = (input: Input) => {
    const { ClientRequestToken: token, TransactItems: items } = input as Input & {
      TransactItems: Record<string, Input>[];
    };
    const text = inspect(items, { depth: 9 });
    const earlier = transactions.get(String(token));
    if (earlier === text) return {};
    if (earlier !== undefined) throw new StoreError("IdempotentParameterMismatchException");
    const writes: Write[] = [];
    const reasons = items.map((item) => {
      const [operation = "", one = {}] = Object.entries(item)[0] ?? [];
      try {
        writes.push(prepare(operation, one));
        return { Code: "None" };
      } catch (error) {
        if (!(error instanceof StoreError) || error.name !== "ConditionalCheckFailedException") throw error;
        return { Code: "ConditionalCheckFailed", Message: "The conditional request failed", ...error.details };
      }
    });
    if (writes.length < items.length) {
      throw new StoreError("TransactionCanceledException", {
        Message: "Transaction cancelled",
        CancellationReasons: reasons,
      });
    }
    for (const change of writes) carryOut(change);
    if (token !== undefined) transactions.set(String(token), text);
    return {};
  };

  const keyNamesOf = (name: string): string[] => {
    const { partition, sort } = tables.get(name) ?? { partition: "", sort: undefined };
    return sort === undefined ? [partition] : [partition, sort];
  };

  const execute = (statement: Statement) => {
    const { operation, input, code } = callOf(statement, keyNamesOf);
    const { TableName } = input;
    try {
      carryOut(prepare(operation, input));
      return { TableName };
    } catch (error) {
      if (!(error instanceof StoreError) || error.name !== "ConditionalCheckFailedException") throw error;
      return { TableName, Error: { Code: code, Message: "The conditional request failed" } };
    }
  };

  const batchExecute = (input: Input) => ({ Responses: (input.Statements as Statement[]).map(execute) });

  const operations: Record<string, (input: Input) => object> = {
    Get: get,
    Put: write("Put"),
    Update: write("Update"),
    Delete: write("Delete"),
    Query: query,
    BatchGet: batchGet,
    BatchWrite: batchWrite,
    BatchExecuteStatement: batchExecute,
    TransactWrite: transactWrite,
  };

  return {
    /** @throws StoreError as DynamoDB refuses. */
    call(operation: string, input: Input): object {
      const run = operations[operation];
      if (run === undefined) throw new Error(`The store in memory does not know ${operation}.`);
      return run(input);
    },
    /** All items of a table. */
    items: (table: string): Item[] => tableOf(table).all(),
    /** All items with the names of their tables. */
    everything: (): [string, Item][] =>
      [...stored].flatMap(([name, table]) => table.all().map((item): [string, Item] => [name, item])),
    /** Removes the items that expired before a time. @param nowSeconds epoch seconds. */
    expire(nowSeconds: number): void {
      for (const table of stored.values()) table.expire(nowSeconds);
    },
  };
};
