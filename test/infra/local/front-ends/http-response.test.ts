import { describe, expect, it } from "@jest/globals";
import { respond, toHttpResponse } from "../../../../infra/local/front-ends/http-response.ts";

const responseTo = (answer: unknown) => {
  const response = toHttpResponse(JSON.stringify(answer));
  return response && { ...response, body: response.body.toString("utf8") };
};
const json = { "content-type": "application/json" };

describe("the response to a function's answer", () => {
  it.each([
    [{ statusCode: 204 }, { statusCode: 204, headers: {}, body: "" }],
    [
      { statusCode: 200, body: "hi" },
      { statusCode: 200, headers: { "content-type": "text/plain;charset=UTF-8" }, body: "hi" },
    ],
    [
      { statusCode: 201, headers: { "Content-Type": "application/json", "X-N": 5, "x-b": true }, body: "{}" },
      { statusCode: 201, headers: { ...json, "x-n": "5", "x-b": "true" }, body: "{}" },
    ],
    [
      { statusCode: "404", body: null, headers: null },
      { statusCode: 404, headers: {}, body: "" },
    ],
    [
      { statusCode: 200, cookies: ["a=1; Secure", "b=2"] },
      { statusCode: 200, headers: { "set-cookie": ["a=1; Secure", "b=2"] }, body: "" },
    ],
    [
      { statusCode: 200, body: "aMOp", isBase64Encoded: true, headers: { "content-type": "text/html" } },
      { statusCode: 200, headers: { "content-type": "text/html" }, body: "hé" },
    ],
    [
      { statusCode: 200, headers: { "Content-Length": "99", connection: "close", "transfer-encoding": "chunked" } },
      { statusCode: 200, headers: {}, body: "" },
    ],
    [{ message: "hi" }, { statusCode: 200, headers: json, body: '{"message":"hi"}' }],
    ["hello", { statusCode: 200, headers: json, body: "hello" }],
    [[1], { statusCode: 200, headers: json, body: "[1]" }],
    [null, { statusCode: 200, headers: json, body: "null" }],
    [7, { statusCode: 200, headers: json, body: "7" }],
  ])("%j", (answer, expected) => {
    expect(responseTo(answer)).toEqual(expected);
  });

  it.each([
    { statusCode: "abc" },
    { statusCode: 99 },
    { statusCode: 600 },
    { statusCode: null },
    { statusCode: 200, body: { not: "text" } },
    { statusCode: 200, headers: { x: ["a"] } },
    { statusCode: 200, headers: { "bad name": "a" } },
    { statusCode: 200, headers: { x: "a\r\nset-cookie: b" } },
    { statusCode: 200, headers: { x: "🌱" } },
    { statusCode: 200, cookies: "a=1" },
    { statusCode: 200, cookies: ["a=1\nb"] },
  ])("is undefined for the malformed answer %j", (answer) => {
    expect(responseTo(answer)).toBeUndefined();
  });
});

describe("the response to a failed invocation", () => {
  const error = (errorType: string) => ({ errorType, errorMessage: "m", trace: [] });
  it.each([
    [{ ok: true, payload: '{"statusCode":0}' } as const, 500, "Internal Server Error"],
    [{ ok: false, reason: "failed", error: error("TypeError") } as const, 500, "Internal Server Error"],
    [
      { ok: false, reason: "failed", error: error("Function.ResponseSizeTooLarge") } as const,
      500,
      "Internal Server Error",
    ],
    [{ ok: false, reason: "timed out", error: error("Sandbox.Timedout") } as const, 503, "Service Unavailable"],
    [
      { ok: false, reason: "refused", error: error("RequestEntityTooLargeException") } as const,
      413,
      "Request Entity Too Large",
    ],
    [
      { ok: false, reason: "refused", error: error("ResourceNotFoundException") } as const,
      500,
      "Internal Server Error",
    ],
  ])("%j is %i", (result, statusCode, message) => {
    const response = respond(result);
    expect(response).toMatchObject({ statusCode, headers: json });
    expect(JSON.parse(response.body.toString())).toEqual({ message });
  });
});
