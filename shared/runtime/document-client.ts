/** The DynamoDB client that all stores of a function share. */
import { Agent, get } from "node:https";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { boundedRequests, CONNECTION_TIMEOUT_MS, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { documentTranslation } from "./document-translation.ts";
import { beforeFirstRequest } from "./prewarm.ts";

/** Of each attempt. call-store.ts has the deadline of all attempts together. */
const REQUEST_TIMEOUT_MS = 1_500;

const place = readAwsPlace("dynamodb");
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

export const documentClient = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    ...place,
    ...fixedSettings,
    maxAttempts: 3,
    accountIdEndpointMode: "disabled",
    endpointDiscoveryEnabledProvider: async () => false,
    requestHandler: boundedRequests(agent, REQUEST_TIMEOUT_MS),
  }),
  documentTranslation,
);

/** Opens the connection that the first call will use. The root of the endpoint answers unsigned requests. */
const connect = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(CONNECTION_TIMEOUT_MS);
    get(place.endpoint, { agent, signal }, (response) => response.resume().once("close", resolve)).once(
      "error",
      reject,
    );
  });

/** Runs a command through the SDK without the network, so that the first request finds the SDK's code loaded. */
const rehearse = async (): Promise<void> => {
  const command = new PutCommand({ TableName: "none", Item: { id: 1n, name: "none" } });
  command.middlewareStack.addRelativeTo(
    () => async () => ({
      response: { statusCode: 200, headers: {}, body: Buffer.from("{}") },
      output: { $metadata: {} },
    }),
    { name: "answerWithoutSending", relation: "after", toMiddleware: "deserializerMiddleware", override: true },
  );
  await documentClient.send(command);
};

// Plain HTTP is a store on the same machine, where a connection costs nothing.
if (place.endpoint.startsWith("https:")) beforeFirstRequest(connect);
beforeFirstRequest(rehearse);
