/** Middleware of every request: the answer to failures, and one log line. */
import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { systemClock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { withLogIds, writeLog } from "../runtime/log.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import { type Response, respondError } from "./respond.ts";

type HttpMiddleware = MiddlewareObj<APIGatewayProxyEventV2, Response>;
type HttpRequest = Request<APIGatewayProxyEventV2, Response>;

/** Answers a thrown error with the Error body. */
export const answerErrors = (): HttpMiddleware => ({
  onError: (request) => {
    request.response = respondError(request.event.requestContext.requestId, request.error);
  },
});

/** The cause of a 5xx answer, for operators; with the stack if it is a bug. */
const causeOf = (thrown: unknown): string | undefined => {
  if (!(thrown instanceof DomainError)) return thrown instanceof Error ? thrown.stack : String(thrown);
  return thrown.cause instanceof Error ? `${thrown.cause.name}: ${thrown.cause.message}` : undefined;
};

/** Logs one line per request with the route's template; never the path, body or token of the request. */
export const logRequests = (name: string): HttpMiddleware => {
  let startedAt = 0;
  const log = ({ response, error }: HttpRequest) => {
    const status = response?.statusCode ?? 500;
    const fields = {
      status,
      durationMs: systemClock() - startedAt,
      ...(error instanceof DomainError && { error: catalogueEntry(error.code).number }),
      ...(status >= 500 && { cause: causeOf(error) }),
    };
    writeLog(status >= 500 ? "error" : "info", name, fields, status === 401 ? { RefusedTokens: 1 } : {});
  };
  return {
    // An instance serves one request at a time, so one start time is enough.
    before: () => {
      // Not performance.now: its first mention makes Node load a module that takes longer than a warm request.
      startedAt = systemClock();
    },
    after: log,
    onError: log,
  };
};

/** A handler all of whose log lines carry the request's id and Lambda's id of the invocation. */
export const withRequestIds =
  <Answer>(handler: (event: APIGatewayProxyEventV2, context: Context) => Answer) =>
  (event: APIGatewayProxyEventV2, context: Context): Answer =>
    withLogIds({ requestId: event.requestContext.requestId, invocationId: context.awsRequestId }, () =>
      handler(event, context),
    );
