import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";

/** DynamoDB gives at most 1 MB per call; one request of ours reads at most four of them. */
const MAX_CALLS = 4;

/**
 * Reads up to `limit` items of one partition in the order of the sort key. One item more is asked for, so that "there
 * is more" is known without a second call. A page that reads 4 MB ends early, with more to come.
 * @param maxCalls fewer, where one of our requests reads several partitions.
 * @returns the items as stored, unparsed, and whether there are more.
 * @throws DomainError `store_unavailable`.
 */
export const queryPage = async (
  client: DynamoDBDocumentClient,
  query: Omit<QueryCommandInput, "Limit">,
  limit: number,
  maxCalls = MAX_CALLS,
): Promise<{ items: Record<string, unknown>[]; hasMore: boolean }> => {
  const items: Record<string, unknown>[] = [];
  let start = query.ExclusiveStartKey;
  for (let call = 0; call < maxCalls; call++) {
    const command = new QueryCommand({
      ...query,
      Limit: limit + 1 - items.length,
      ...(start && { ExclusiveStartKey: start }),
    });
    const { Items = [], LastEvaluatedKey } = await callStore((options) => client.send(command, options));
    items.push(...Items);
    start = LastEvaluatedKey;
    if (items.length > limit || start === undefined) break;
  }
  return { items: items.slice(0, limit), hasMore: items.length > limit || start !== undefined };
};
