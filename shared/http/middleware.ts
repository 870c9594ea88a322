/** Around every request: the answer to failures, one log line, and the request's ids in all log lines. */
import middy, { type MiddlewareObj, type Request } from "@middy/core";
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
const logRequests = (name: string): HttpMiddleware => {
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

export type HttpHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Response>;

/**
 * The Lambda handler of an HTTP function. All its log lines carry the request's id and Lambda's id of the invocation.
 * @param name the request in its log line, such as `GET /plants`
 * @param timeouts answers before Lambda ends the invocation, if given
 */
export const createHttpHandler = (
  name: string,
  handle: (event: APIGatewayProxyEventV2) => Promise<Response>,
  timeouts?: { timeoutEarlyInMillis: number; timeoutEarlyResponse: () => never },
): HttpHandler => {
  const handler = middy((event: APIGatewayProxyEventV2) => handle(event), timeouts)
    .use(logRequests(name))
    .use(answerErrors());
  return (event, context) =>
    withLogIds({ requestId: event.requestContext.requestId, invocationId: context.awsRequestId }, () =>
      handler(event, context),
    );
};
