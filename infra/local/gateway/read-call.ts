import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import type { AwsCall } from "./service.ts";

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
};

/** Reads a request whole. The JSON protocols name the operation in a header: `DynamoDB_20120810.PutItem`. */
export const readCall = async (request: IncomingMessage): Promise<AwsCall> => {
  const body = await buffer(request);
  const target = String(request.headers["x-amz-target"] ?? "");
  return {
    operation: target.slice(target.lastIndexOf(".") + 1),
    method: request.method ?? "",
    path: request.url ?? "/",
    headers: request.headers,
    body,
    json: parse(body),
  };
};
