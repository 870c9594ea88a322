import { type DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { organizationIdOf, organizationKey } from "../../shared/terms/keys.ts";

/** The prefix of organizations' partitions. */
const PREFIX = organizationKey("");

/** The organizations with events, in order, from the keys of the events' table. */
export const recordedOrganizations = async (client: DynamoDBClient, tableName: string): Promise<string[]> => {
  const scopes = new Set<string>();
  const pages = paginateScan(
    { client },
    { TableName: tableName, ProjectionExpression: "#scope", ExpressionAttributeNames: { "#scope": "scope" } },
  );
  for await (const { Items = [] } of pages) {
    for (const { scope } of Items) if (scope?.S?.startsWith(PREFIX)) scopes.add(scope.S);
  }
  return [...scopes].map(organizationIdOf).sort();
};
