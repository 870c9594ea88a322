import { BatchGetCommand, type BatchGetCommandInput, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";
import { chunksOf } from "./chunks.ts";
import { DomainError } from "./domain-error.ts";
import { inParallel } from "./in-parallel.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";

/** The limit of BatchGetItem. */
const KEYS_PER_CALL = 100;
const CALLS_AT_ONCE = 6;
/** DynamoDB may leave keys unprocessed under load. They are read again after growing pauses. */
const ATTEMPTS = 4;

type Item = Record<string, unknown>;
type Reading = Omit<NonNullable<BatchGetCommandInput["RequestItems"]>[string], "Keys">;

/**
 * The existing items of any number of keys, in no order, and the read units that they cost.
 * @param reading consistency and projection.
 * @throws DomainError `store_unavailable`, also if keys stay unread after four attempts.
 */
export const getItems = async (
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Item[],
  reading: Reading = {},
): Promise<{ items: Item[]; units: number }> => {
  const items: Item[] = [];
  let units = 0;
  await inParallel(chunksOf(keys, KEYS_PER_CALL), CALLS_AT_ONCE, async (chunk) => {
    let wanted: Item[] = chunk;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt === ATTEMPTS) throw new DomainError("store_unavailable", "The store did not answer. Try again.");
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const command = new BatchGetCommand({
        RequestItems: { [tableName]: { ...reading, Keys: wanted } },
        ReturnConsumedCapacity: "TOTAL",
      });
      const { Responses, UnprocessedKeys, ConsumedCapacity } = await callStore((options) =>
        client.send(command, options),
      );
      items.push(...(Responses?.[tableName] ?? []));
      units += ConsumedCapacity?.[0]?.CapacityUnits ?? 0;
      wanted = UnprocessedKeys?.[tableName]?.Keys ?? [];
    }
  });
  return { items, units };
};
