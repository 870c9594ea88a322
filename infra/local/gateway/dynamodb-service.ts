import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { buffer } from "node:stream/consumers";
import type { StackModel } from "../core/model.ts";
import { engineScope } from "../dynamodb/client.ts";
import { dynamoDbChecks } from "./dynamodb-checks.ts";
import { type AwsAnswer, type AwsCall, type AwsService, errorAnswer } from "./service.ts";

/** The engine requires a signature and does not verify it; DynamoDB Local separates databases by key and region. */
const asLocalCloud = (authorization = ""): string =>
  authorization.replace(
    /Credential=[^/]*\/([^/]*)\/[^/]*/,
    `Credential=${engineScope.accessKeyId}/$1/${engineScope.region}`,
  );

const headersFor = ({ headers, body }: AwsCall): Record<string, string | number> => ({
  authorization: asLocalCloud(headers.authorization),
  "content-length": body.length,
  "content-type": headers["content-type"] ?? "application/x-amz-json-1.0",
  "x-amz-date": String(headers["x-amz-date"]),
  "x-amz-target": String(headers["x-amz-target"]),
});

/** The checksum belongs to the body, which is passed on as it is. */
const passedOn = ["content-type", "x-amz-crc32", "x-amzn-requestid"];

const readAnswer = async (response: IncomingMessage): Promise<AwsAnswer> => {
  const known = passedOn.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { status: response.statusCode ?? 500, headers: Object.fromEntries(known), body: await buffer(response) };
};

/** DynamoDB: each request is authorized, then the endpoint answers it over connections that stay open. */
export const createDynamoDbService = (model: StackModel, endpoint: string): AwsService => {
  const url = new URL(endpoint);
  const secure = url.protocol === "https:";
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const open = (call: AwsCall): ClientRequest =>
    (secure ? httpsRequest : httpRequest)(url, { agent, method: "POST", headers: headersFor(call) });

  return {
    checks: ({ operation, json }) => dynamoDbChecks(operation, json, model),
    answer: (call) =>
      new Promise((resolve) => {
        // The SDK retries a 500, as with DynamoDB itself.
        const failed = (error: Error): void =>
          resolve(errorAnswer(500, "InternalServerError", `the local DynamoDB does not answer: ${error.message}`));
        open(call)
          .once("response", (response) => void readAnswer(response).then(resolve, failed))
          .once("error", failed)
          .end(call.body);
      }),
    close: () => agent.destroy(),
  };
};
