import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { type Attempt, startScriptedStore } from "./scripted-store.ts";

/** Runs work with a client of a store that answers by a script. @returns the bodies of the requests that it received. */
export const withScriptedClient = async (
  script: readonly Attempt[],
  work: (client: DynamoDBDocumentClient) => Promise<unknown>,
): Promise<Record<string, unknown>[]> => {
  const store = await startScriptedStore(script);
  const client = new DynamoDBClient({
    endpoint: store.endpoint,
    region: "local",
    credentials: { accessKeyId: "a", secretAccessKey: "b" },
    maxAttempts: 1,
  });
  try {
    await work(DynamoDBDocumentClient.from(client, documentTranslation));
    return store.requests.map(({ body }) => body as Record<string, unknown>);
  } finally {
    client.destroy();
    await store.stop();
  }
};
