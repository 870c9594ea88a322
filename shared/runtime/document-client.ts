/**
 * The DynamoDB client that all stores of a function share. Everything that the SDK would otherwise look for in files,
 * in instance metadata or in the environment is a constant here, which a cold start would pay for.
 */
import { Agent, get } from "node:https";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { readAwsPlace } from "./aws-place.ts";
import { documentTranslation } from "./document-translation.ts";
import { beforeFirstRequest } from "./prewarm.ts";

/** A hung store must not hang the function: connecting, each attempt, and (call-store.ts) all attempts are bounded. */
const CONNECTION_TIMEOUT_MS = 500;
const REQUEST_TIMEOUT_MS = 1_500;

const place = readAwsPlace("dynamodb");
const agent = new Agent({ keepAlive: true, maxSockets: 50 });

export const documentClient = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    ...place,
    maxAttempts: 3,
    retryMode: "standard",
    defaultsMode: "standard",
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    accountIdEndpointMode: "disabled",
    authSchemePreference: [],
    disableClockSkewCorrection: false,
    endpointDiscoveryEnabledProvider: async () => false,
    userAgentAppId: async () => undefined,
    requestHandler: {
      httpsAgent: agent,
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  }),
  documentTranslation,
);

/** Opens the connection that the first call will use. The root of the endpoint answers anybody, signed or not. */
const connect = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(CONNECTION_TIMEOUT_MS);
    get(place.endpoint, { agent, signal }, (response) => response.resume().once("close", resolve)).once(
      "error",
      reject,
    );
  });

/** Takes a command all the way through the SDK, but for the network: the answer is given in the place of it. */
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

// Plain HTTP is a store on this very machine, where a connection costs nothing.
if (place.endpoint.startsWith("https:")) beforeFirstRequest(connect);
beforeFirstRequest(rehearse);
