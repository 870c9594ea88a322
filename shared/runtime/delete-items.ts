import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";
import { chunksOf } from "./chunks.ts";
import { DomainError } from "./domain-error.ts";
import { inParallel } from "./in-parallel.ts";
import { pauseBeforeRetry } from "./retry-pause.ts";

/** The limit of BatchWriteItem. */
const KEYS_PER_CALL = 25;
const CALLS_AT_ONCE = 6;
/** DynamoDB may leave keys unprocessed under load. They are sent again after growing pauses. */
const ATTEMPTS = 8;

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/**
 * Deletes the items of any number of keys: a write unit per KB, and as much for each index. Missing items do no harm.
 * @param keys without repetitions.
 * @throws DomainError `store_unavailable`; some items may be deleted then.
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
