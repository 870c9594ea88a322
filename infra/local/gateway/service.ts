import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Check } from "../iam/authorizer.ts";

/**
 * One call of an AWS SDK. `operation` is that of the JSON protocols, and method and path in the REST protocols; `target`
 * is the encoded path with the query; `json` is the parsed body, undefined if the body is not JSON.
 */
export type AwsCall = {
  operation: string;
  method: string;
  target: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: unknown;
  /** The caller's, for a service that checks signatures. */
  secretAccessKey: string;
};

/** A stream needs the header `content-length`. */
export type AwsAnswer = { status: number; headers: Record<string, string | string[]>; body: Buffer | Readable };

/** One AWS service behind the gateway. */
export type AwsService = {
  /** All actions that the call needs; undefined for an unsupported call, which is denied. */
  checks(call: AwsCall): Check[] | undefined;
  /** Answers a call that is allowed. */
  answer(call: AwsCall): Promise<AwsAnswer>;
  /** The answer to a call that is not allowed; one of the JSON protocols by default. */
  refuse?(code: "AccessDenied" | "InvalidAccessKeyId", message: string): AwsAnswer;
  close(): void;
};

/** An answer in AWS's JSON protocol; the SDK reads the version from the service's model, not from here. */
export const jsonAnswer = (status: number, content: unknown, headers: Record<string, string> = {}): AwsAnswer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.0", ...headers },
  body: Buffer.from(JSON.stringify(content)),
});

/** An error in AWS's JSON protocol; the SDK takes its `name` from the type. */
export const errorAnswer = (status: number, type: string, message: string): AwsAnswer =>
  jsonAnswer(status, { __type: `com.amazon.coral.service#${type}`, message }, { "x-amzn-errortype": type });
