import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";

/**
 * The items of a query, a page of at most 1 MB at a time.
 * @throws DomainError `store_unavailable`.
 */
export async function* readPages(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
): AsyncGenerator<Record<string, unknown>[], void, void> {
  let start: QueryCommandInput["ExclusiveStartKey"];
  do {
    const command = new QueryCommand({ ...query, ...(start && { ExclusiveStartKey: start }) });
    const { Items = [], LastEvaluatedKey } = await callStore((options) => client.send(command, options));
    yield Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
