/**
 * A test function that makes one guarded call per request. The request chooses the outcome: `ok`, `fail`, or `neutral`
 * (our own error before the call was sent).
 */
import middy from "@middy/core";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { answerErrors } from "../../../shared/http/middleware.ts";
import { respond } from "../../../shared/http/respond.ts";
import { wireGuard } from "../../../shared/wiring/circuit-breaker.ts";

class NeutralError extends Error {}

const guard = wireGuard();
const classifyError = (error: unknown) => (error instanceof NeutralError ? "neutral" : "failure");

const outcomes: Record<string, () => Promise<string>> = {
  ok: async () => "ok",
  fail: async () => Promise.reject(new Error("The provider failed.")),
  neutral: async () => Promise.reject(new NeutralError("We failed.")),
};

export const handler = middy(async ({ requestContext, queryStringParameters }: APIGatewayProxyEventV2) => {
  const { organization = "", outcome = "ok" } = queryStringParameters ?? {};
  try {
    const call = outcomes[outcome] ?? (async () => "ok");
    // Each request starts its work, so the circuit is read strongly.
    const answer = await guard(organization, call, { isStart: true, classifyError });
    return respond(requestContext.requestId, 200, JSON.stringify(answer));
  } finally {
    await guard.flush();
  }
}).use(answerErrors());
