import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";
import { chunksOf } from "./chunks.ts";
import { DomainError } from "./domain-error.ts";
import { inParallel } from "./in-parallel.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";

/** What BatchWriteItem takes. */
const KEYS_PER_CALL = 25;
const CALLS_AT_ONCE = 6;
/** DynamoDB may leave keys undone under load; they are sent again, after a pause that grows. */
const ATTEMPTS = 8;

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/**
 * Deletes the items of any number of keys, those that do not exist too: a write unit per KB, and as much for each index.
 * @param keys each once.
 * @throws DomainError `store_unavailable`; then some may be deleted.
 */
export const deleteItems = (
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Record<string, unknown>[],
): Promise<void> =>
  inParallel(chunksOf(keys, KEYS_PER_CALL), CALLS_AT_ONCE, async (chunk) => {
    let left: Requests = chunk.map((Key) => ({ DeleteRequest: { Key } }));
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === ATTEMPTS) throw new DomainError("store_unavailable", "The store left items undeleted.");
      if (attempt > 0) await pauseBeforeRetry(attempt);
      const command = new BatchWriteCommand({ RequestItems: { [tableName]: left } });
      const { UnprocessedItems } = await callStore((options) => client.send(command, options));
      left = UnprocessedItems?.[tableName] ?? [];
    }
  });
