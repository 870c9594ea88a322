import { type DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { engineClient as clientOf } from "../../infra/local/dynamodb/client.ts";
import type { Service, ServiceUnderTest } from "./service.ts";

/** A client of the service's engine that no role restricts. Destroy it in `afterAll`. */
export const engineClient = ({ stack }: Pick<Service, "stack">): DynamoDBClient => clientOf(stack.dynamodbUrl);

/** Shows bytes as characters, so that unencrypted text in them is found. */
const withBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;

/** Everything that was stored, logged and published so far, as text. */
export const everything = async (
  { stack, logged }: Pick<ServiceUnderTest, "stack" | "logged">,
  tables: DynamoDBClient,
): Promise<string> => {
  const stored = await Promise.all(
    stack.tables.map(async (TableName) => (await tables.send(new ScanCommand({ TableName }))).Items),
  );
  const published = await (await fetch(`${stack.controlUrl}/events`)).text();
  return JSON.stringify(stored, withBytes) + published + logged();
};
