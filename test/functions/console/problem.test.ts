import { describe, expect, it } from "@jest/globals";
import { asProblem, Problem, problemOf } from "../../../functions/console/app/api/problem.ts";

const answer = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

describe("a failed answer becomes a problem", () => {
  it("with the API's sentence, number, request id and time", () => {
    const response = answer(503, { "x-request-id": "one", "retry-after": "7" });
    expect(problemOf(response, { error: 50301, message: "The store does not answer." })).toMatchObject({
      message: "The store does not answer.",
      status: 503,
      code: 50301,
      requestId: "one",
      retryAfterS: 7,
      isTemporary: true,
    });
  });

  it.each([
    ["the gateway's body", { message: "Too Many Requests" }],
    ["a text", "<html>"],
    ["no body", undefined],
    ["null", null],
    ["a message that is no text", { error: 1, message: {} }],
  ])("with its status, if it has %s", (_, body) => {
    const problem = problemOf(answer(429, { "apigw-requestid": "gateway" }), body);
    expect(problem).toMatchObject({ message: "The service answered 429.", requestId: "gateway", isTemporary: true });
    expect(problem.code).toBeUndefined();
  });

  it.each(["", "Wed, 21 Oct 2026 07:28:00 GMT"])("without a time, if Retry-After is %j", (text) => {
    expect(problemOf(answer(503, { "retry-after": text }), undefined).retryAfterS ?? 0).toBe(0);
  });

  it.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [409, false],
    [429, true],
    [500, true],
    [504, true],
  ])("that may pass or not: %d", (status, expected) => {
    expect(problemOf(answer(status), undefined).isTemporary).toBe(expected);
  });
});

it("a request without an answer becomes a temporary problem, and a problem stays itself", () => {
  expect(asProblem(new TypeError("Failed to fetch"))).toMatchObject({ status: undefined, isTemporary: true });
  const problem = new Problem("known");
  expect(asProblem(problem)).toBe(problem);
});
