/** The floor with the product's DynamoDB client. The difference to the product is the cost of the product's own code. */
import { DeleteCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../../../shared/runtime/document-client.ts";
import { createFloorHandler } from "./floor-core.mjs";

const TableName = process.env.PLANTS_TABLE_NAME;
const ExpressionAttributeNames = { "#scope": "scope" };

export const handler = createFloorHandler({
  put: (Item) =>
    documentClient.send(
      new PutCommand({
        TableName,
        Item,
        ConditionExpression: "attribute_not_exists(#scope)",
        ExpressionAttributeNames,
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
  query: async (scope) => {
    const command = new QueryCommand({
      TableName,
      KeyConditionExpression: "#scope = :scope",
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ":scope": scope },
      Limit: 10_001,
    });
    const { Items } = await documentClient.send(command);
    return Items.map(({ name, tag }) => ({ name, tag }));
  },
  remove: (Key) =>
    documentClient.send(
      new DeleteCommand({ TableName, Key, ConditionExpression: "attribute_exists(#scope)", ExpressionAttributeNames }),
    ),
});
