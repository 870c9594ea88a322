import * as z from "zod";
import { ownAnswer, type WireResponse } from "../http/front-end.ts";
import type { InvocationResult } from "../lambda/function-error.ts";

const HeaderValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** An answer of payload format 2.0. Source: see event.ts. */
const FunctionAnswer = z.object({
  statusCode: z.coerce.number().int().min(200).max(599),
  headers: z.record(z.string(), HeaderValue).nullish(),
  cookies: z.array(z.string()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().nullish(),
});

/** Set by the front end itself, or meant for one connection. */
const NOT_THE_FUNCTIONS = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what HTTP forbids in a header's value
const FORBIDDEN_IN_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

/**
 * The HTTP response for a function's answer (JSON text); undefined if the answer is malformed.
 * If the result has no `statusCode`, the whole result is the JSON body of a 200 response.
 */
export const toHttpResponse = (payload: string): WireResponse | undefined => {
  const answer: unknown = JSON.parse(payload);
  if (typeof answer !== "object" || answer === null || !("statusCode" in answer)) {
    const body = typeof answer === "string" ? answer : payload;
    return { statusCode: 200, headers: { "content-type": "application/json" }, body: Buffer.from(body) };
  }
  const { success, data } = FunctionAnswer.safeParse(answer);
  if (!success) return undefined;
  const body = Buffer.from(data.body ?? "", data.isBase64Encoded ? "base64" : "utf8");
  const headers: Record<string, string | string[]> = {};
  if (body.length > 0) headers["content-type"] = "text/plain;charset=UTF-8";
  for (const [name, value] of Object.entries(data.headers ?? {}))
    if (!NOT_THE_FUNCTIONS.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  if (data.cookies && data.cookies.length > 0) headers["set-cookie"] = data.cookies;
  const sendable = Object.entries(headers).every(
    ([name, value]) => HEADER_NAME.test(name) && [value].flat().every((text) => !FORBIDDEN_IN_VALUE.test(text)),
  );
  return sendable ? { statusCode: data.statusCode, headers, body } : undefined;
};

/** The HTTP response for the result of an invocation, failures as an HTTP API words them. */
export const respond = (result: InvocationResult): WireResponse => {
  if (result.ok) return toHttpResponse(result.payload) ?? ownAnswer(500, "Internal Server Error");
  if (result.reason === "timed out") return ownAnswer(503, "Service Unavailable");
  if (result.error.errorType === "RequestEntityTooLargeException") return ownAnswer(413, "Request Entity Too Large");
  return ownAnswer(500, "Internal Server Error");
};
