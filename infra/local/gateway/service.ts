import type { IncomingHttpHeaders } from "node:http";
import type { Check } from "../iam/authorizer.ts";

/** One call of an AWS SDK; `json` is the parsed body, undefined if the body is not JSON. */
export type AwsCall = { operation: string; headers: IncomingHttpHeaders; body: Buffer; json: unknown };

export type AwsAnswer = { status: number; headers: Record<string, string | string[]>; body: Buffer };

/** One AWS service behind the gateway. */
export type AwsService = {
  /** All actions that the call needs; undefined for an unsupported call, which is denied. */
  checks(call: AwsCall): Check[] | undefined;
  /** Answers a call that is allowed. */
  answer(call: AwsCall): Promise<AwsAnswer>;
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
