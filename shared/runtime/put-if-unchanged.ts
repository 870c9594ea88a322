import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "./call-store.ts";

/** `attribute`: the item's field that is another text after each write. `previous`: what was read of it, if anything. */
type Unchanged = { attribute: string; previous: string | undefined };

/**
 * Puts an item in the place of the one that was read, or of none.
 * @returns whether it is written; false where another came first.
 * @throws DomainError `store_unavailable`.
 */
export const putIfUnchanged = async (
  client: DynamoDBDocumentClient,
  TableName: string,
  item: Readonly<Record<string, unknown>>,
  { attribute, previous }: Unchanged,
): Promise<boolean> => {
  const command = new PutCommand({
    TableName,
    Item: item,
    ExpressionAttributeNames: { "#attribute": attribute },
    ...(previous === undefined
      ? { ConditionExpression: "attribute_not_exists(#attribute)" }
      : { ConditionExpression: "#attribute = :previous", ExpressionAttributeValues: { ":previous": previous } }),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  try {
    await callStore((options) => client.send(command, options));
    return true;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The SDK repeats a put whose answer was lost, and then finds what its own first try wrote.
    return error.Item?.[attribute]?.S === item[attribute];
  }
};
