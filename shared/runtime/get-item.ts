import { type DynamoDBDocumentClient, GetCommand, type GetCommandInput } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";

/**
 * Reads an item strongly consistent: a read unit per 4 KB.
 * @returns undefined if there is no item.
 * @throws DomainError `store_unavailable`.
 */
export const getItem = async (
  client: DynamoDBDocumentClient,
  TableName: string,
  Key: Readonly<Record<string, unknown>>,
  projection: Pick<GetCommandInput, "ProjectionExpression" | "ExpressionAttributeNames"> = {},
): Promise<Record<string, unknown> | undefined> => {
  const command = new GetCommand({ ...projection, TableName, Key, ConsistentRead: true });
  return (await callStore((options) => client.send(command, options))).Item;
};
