/**
 * The DynamoDB client that all stores of a function share. Everything that the SDK would otherwise look for in files,
 * in instance metadata or in the environment is a constant here, which a cold start would pay for.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { readConfig } from "./config.ts";
import { documentTranslation } from "./document-translation.ts";

/** A hung store must not hang the function: connecting, each attempt, and (in call-store.ts) all attempts are bounded. */
const CONNECTION_TIMEOUT_MS = 500;
const REQUEST_TIMEOUT_MS = 1_500;

const config = readConfig([
  "AWS_REGION",
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_ENDPOINT_URL",
]);

export const documentClient = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    region: config.AWS_REGION,
    endpoint: config.AWS_ENDPOINT_URL ?? `https://dynamodb.${config.AWS_REGION}.amazonaws.com`,
    // Lambda replaces an instance before its credentials expire, so they need no provider.
    credentials: {
      accessKeyId: config.AWS_ACCESS_KEY_ID,
      secretAccessKey: config.AWS_SECRET_ACCESS_KEY,
      ...(config.AWS_SESSION_TOKEN !== undefined && { sessionToken: config.AWS_SESSION_TOKEN }),
    },
    maxAttempts: 3,
    retryMode: "standard",
    defaultsMode: "standard",
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  }),
  documentTranslation,
);
