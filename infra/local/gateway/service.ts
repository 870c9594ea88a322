import type { IncomingHttpHeaders } from "node:http";
import type { Check } from "../iam/authorizer.ts";

/** One call of an AWS SDK; `body` as sent, `json` as parsed, undefined where it is not JSON. */
export type AwsCall = {
  operation: string;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: unknown;
};

export type AwsAnswer = { status: number; headers: Record<string, string | string[]>; body: Buffer };

/** What stands behind the gateway for one AWS service, by the service's name in the signature. */
export type AwsService = {
  /** What must be allowed for the call, every one of it; undefined for a call that is not known: it is denied. */
  checks(call: AwsCall): Check[] | undefined;
  /** Answers a call that is allowed. @param caller the ARN of the session that calls */
  answer(call: AwsCall, caller: string): Promise<AwsAnswer>;
  close(): void;
};

/** An answer in AWS's JSON protocol; the SDK reads the version from the service's model, not from here. */
export const jsonAnswer = (status: number, content: unknown, headers: Record<string, string> = {}): AwsAnswer => ({
  status,
  headers: { "content-type": "application/x-amz-json-1.0", ...headers },
  body: Buffer.from(JSON.stringify(content)),
});

/** An error in AWS's JSON protocol; the SDK makes its `name` of the type. */
export const errorAnswer = (status: number, type: string, message: string): AwsAnswer =>
  jsonAnswer(status, { __type: `com.amazon.coral.service#${type}`, message }, { "x-amzn-errortype": type });
