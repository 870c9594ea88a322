import { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/**
 * A client of the local cloud's own, straight to the engine and past every role. Close it with `destroy`.
 * DynamoDB Local separates data by access key and region, so every call to the engine must use these.
 */
export const engineClient = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: engineScope.region,
    credentials: { accessKeyId: engineScope.accessKeyId, secretAccessKey: "local" },
  });

export const engineScope = { accessKeyId: "local", region: "eu-central-1" } as const;
