/** Reads and deletions of any number of items. DynamoDB may leave some undone under load; they are sent again. */
import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { TableKey, TableName } from "../terms/tables.ts";
import { callStore } from "./call-store.ts";
import { chunksOf } from "./chunks.ts";
import { DomainError } from "./domain-error.ts";
import { inParallel } from "./in-parallel.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";
import type { Reading, Table } from "./table.ts";
import { renderProjection } from "./table-expressions.ts";

const CALLS_AT_ONCE = 6;

/** The limit of BatchGetItem. */
const READ_KEYS_PER_CALL = 100;
/** With growing pauses in between. */
const READ_ATTEMPTS = 4;

/** The limit of BatchWriteItem. */
const DELETED_KEYS_PER_CALL = 25;
const DELETE_ATTEMPTS = 8;

/**
 * The existing items of any number of keys, in no order, and the read units that they cost.
 * @throws DomainError `store_unavailable`, for instance if keys stay unread after four attempts.
 */
export const getItems = async <Name extends TableName>(
  { client, deployedName }: Table<Name>,
  keys: readonly TableKey<Name>[],
  { attributes, isConsistent = false }: Reading = {},
): Promise<{ items: Record<string, unknown>[]; units: number }> => {
  const reading = { ...renderProjection(attributes), ...(isConsistent && { ConsistentRead: true }) };
  const items: Record<string, unknown>[] = [];
  let units = 0;
  await inParallel(chunksOf(keys, READ_KEYS_PER_CALL), CALLS_AT_ONCE, async (chunk) => {
    let wanted = chunk.map((key): Record<string, unknown> => ({ ...key }));
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt === READ_ATTEMPTS) throw new DomainError("store_unavailable", "The store did not answer. Try again.");
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const command = new BatchGetCommand({
        RequestItems: { [deployedName]: { ...reading, Keys: wanted } },
        ReturnConsumedCapacity: "TOTAL",
      });
      const { Responses, UnprocessedKeys, ConsumedCapacity } = await callStore((options) =>
        client.send(command, options),
      );
      items.push(...(Responses?.[deployedName] ?? []));
      units += ConsumedCapacity?.[0]?.CapacityUnits ?? 0;
      wanted = UnprocessedKeys?.[deployedName]?.Keys ?? [];
    }
  });
  return { items, units };
};

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/**
 * Deletes the items of any number of keys: a write unit per KB, and as much for each index. Missing items do no harm.
 * @param keys without repetitions.
 * @throws DomainError `store_unavailable`; some items may be deleted then.
 */
export const deleteItems = <Name extends TableName>(
  { client, deployedName }: Table<Name>,
  keys: readonly TableKey<Name>[],
): Promise<void> =>
  inParallel(chunksOf(keys, DELETED_KEYS_PER_CALL), CALLS_AT_ONCE, async (chunk) => {
    let left: Requests = chunk.map((key) => ({ DeleteRequest: { Key: { ...key } } }));
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === DELETE_ATTEMPTS) throw new DomainError("store_unavailable", "The store left items undeleted.");
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const command = new BatchWriteCommand({ RequestItems: { [deployedName]: left } });
      const { UnprocessedItems } = await callStore((options) => client.send(command, options));
      left = UnprocessedItems?.[deployedName] ?? [];
    }
  });
