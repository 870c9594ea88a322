/**
 * From an API event to typed input and back. A handler is a route and its work; everything else happens here. The order
 * decides which failure a client receives: 401, 403, 413 or 415, 400, then the failures of the work.
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isStoreFailure } from "../runtime/call-store.ts";
import { withDeadline } from "../runtime/deadline.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { type Caller, namesOrganization, type OrganizationCaller } from "../terms/caller.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import type { PersonalPermission } from "../terms/permissions.ts";
import type { Origin } from "../terms/requester.ts";
import { type AdmissionDependencies, createAdmission } from "./admit.ts";
import type { AnswerOnce } from "./answer-once.ts";
import type { LocateClient } from "./client-address.ts";
import { compressed } from "./content-coding.ts";
import type { OpenCursors } from "./cursor.ts";
import { createHttpHandler, type HttpHandler } from "./middleware.ts";
import { createRequestParser } from "./parse-request.ts";
import type { CountRefusals } from "./refusals.ts";
import { createResultRenderer } from "./render-result.ts";
import type { Response } from "./respond.ts";
import type { RequestOf, ResultOf, Route } from "./route.ts";

/** The dependencies of a handler, in addition to its work (shared/wiring/http.ts). Only a list needs cursors. */
export type HandlerDependencies = AdmissionDependencies & {
  cursors?: OpenCursors;
  countRefusals?: CountRefusals;
  /** For a route that takes an `Idempotency-Key`. */
  answerOnce?: AnswerOnce;
  /** Only behind a CDN: everything after it reads the client's address from the event. */
  locateClient?: LocateClient;
};

type CallerOf<R extends Route> = R["permission"] extends "public"
  ? undefined
  : R["permission"] extends PersonalPermission
    ? Caller
    : OrganizationCaller;

type IdentityOf<R extends Route> = R["isIdempotent"] extends true ? { identity: RequestIdentity } : unknown;

export type Work<R extends Route> = (
  input: RequestOf<R> & IdentityOf<R> & { caller: CallerOf<R>; origin: Origin; address: string },
) => Promise<ResultOf<R>>;

/** Answers before Lambda would end the invocation, so that the client still gets the Error body. */
const ANSWER_BEFORE_TIMEOUT_MS = 100;

const timeIsUp = (): never => {
  throw new DomainError("store_unavailable", "The request took too long. Try again.");
};

const originOf = ({ requestContext: { requestId, http } }: APIGatewayProxyEventV2): Origin => ({
  requestId,
  ipAddress: http.sourceIp,
  ...(http.userAgent !== undefined && { userAgent: http.userAgent }),
});

/**
 * The address that the client called. Behind a CDN the gateway's name is not the client's (client-address.ts).
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
const addressOf = ({ headers, rawPath, requestContext }: APIGatewayProxyEventV2): string =>
  `${headers["x-forwarded-proto"] ?? "https"}://${headers.host ?? requestContext.domainName}${encodeURI(rawPath)}`;

/** Whether a request used another scope's cursor or state. The client receives the same answer as for a forged one. */
const isOfOther = (error: unknown): error is DomainError =>
  error instanceof DomainError && namesOrganization(error.foreignScope);

/**
 * The Lambda handler of a route. It answers every failure with the Error body and writes one log line per request.
 * @throws Error if a dependency that the route needs is missing (admit.ts).
 */
export const createHandler = <const R extends Route>(
  route: R,
  work: Work<R>,
  dependencies: HandlerDependencies,
): HttpHandler => {
  const parseRequest = createRequestParser(route, dependencies.cursors);
  const renderResult = createResultRenderer(route, dependencies.cursors);

  const admit = createAdmission(route, dependencies);
  const { answerOnce } = dependencies;
  if (Boolean(route.isIdempotent) !== (answerOnce !== undefined)) {
    throw new Error(`${route.method} ${route.path}: the store of Idempotency-Keys does not fit the route.`);
  }

  const answer = async (event: APIGatewayProxyEventV2, caller: Caller | undefined): Promise<Response> => {
    const parsed = await parseRequest(event, caller);
    const act = async (identity?: RequestIdentity): Promise<Response> => {
      const about = { caller, origin: originOf(event), address: addressOf(event) };
      const input = { ...parsed.request, ...about, ...(identity && { identity }) };
      // The caller was admitted to this route, and only a route that takes a key has the dependency.
      return renderResult(event, parsed, await work(input as Parameters<Work<R>>[0]));
    };
    if (answerOnce === undefined) return act();
    const { idempotencyKey, request } = parsed;
    const body = request.params === undefined ? request.body : { params: request.params, body: request.body };
    return answerOnce({ route, event, caller, body, idempotencyKey }, act);
  };

  const handleInTime = async (received: APIGatewayProxyEventV2): Promise<Response> => {
    const event = dependencies.locateClient?.(received) ?? received;
    const caller = await admit(event);
    const counted = dependencies.countRefusals?.();
    try {
      const response = await answer(event, caller);
      return route.method === "GET" ? await compressed(event, response) : response;
    } catch (error) {
      if (isStoreFailure(error)) await dependencies.noteFailure?.(caller?.organizationId, "store");
      if (isOfOther(error)) await dependencies.recordRefusal?.({ route, event, error, caller });
      throw error;
    } finally {
      await counted;
    }
  };

  return createHttpHandler(`${route.method} ${route.path}`, (event) => withDeadline(() => handleInTime(event)), {
    timeoutEarlyInMillis: ANSWER_BEFORE_TIMEOUT_MS,
    timeoutEarlyResponse: timeIsUp,
  });
};
