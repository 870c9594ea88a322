/**
 * From an API event to typed input and back. A handler is a route and the work behind it; everything else happens
 * here, in the order that decides which failure a client sees: 401, 403, 413 or 415, 400, then the work's own.
 */
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Caller, OrganizationCaller } from "../api/caller.ts";
import { catalogueEntry } from "../api/error-catalogue.ts";
import type { Origin } from "../api/origin.ts";
import { needsOrganization, type PersonalPermission, rolesWith } from "../api/permissions.ts";
import type { RequestOf, ResultOf, Route } from "../api/route.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Authenticate } from "./authenticate.ts";
import { RefusedCallerError } from "./authenticate.ts";
import type { Cursors } from "./cursor.ts";
import { answerErrors, logRequests } from "./middleware.ts";
import { createRequestParser } from "./parse-request.ts";
import type { RecordRefusal } from "./refusals.ts";
import { createResultRenderer } from "./render-result.ts";
import type { Response } from "./respond.ts";

/**
 * What a handler is made of besides its work; wiring.ts has a deployed function's. A public route needs no
 * authentication, and only a list needs cursors.
 */
export type HandlerParts = { authenticate?: Authenticate; cursors?: Cursors; recordRefusal?: RecordRefusal };

type CallerOf<R extends Route> = R["permission"] extends "public"
  ? undefined
  : R["permission"] extends PersonalPermission
    ? Caller
    : OrganizationCaller;

export type Work<R extends Route> = (
  input: RequestOf<R> & { caller: CallerOf<R>; origin: Origin },
) => Promise<ResultOf<R>>;

export type HttpHandler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Response>;

/** Answers before Lambda would end the invocation, so that the client still gets the Error body. */
const ANSWER_BEFORE_TIMEOUT_MS = 100;

/** @throws DomainError where the caller does not have the route's permission. */
const requirePermission = ({ role, organizationId }: Caller, { permission }: Route): void => {
  if (permission === "public") return;
  if (needsOrganization(permission) && organizationId === undefined) {
    throw new DomainError("organization_required", "The token names no organization.");
  }
  if (!rolesWith(permission).includes(role)) {
    throw new DomainError("role_may_not", `The role ${role} does not have the permission ${permission}.`);
  }
};

const originOf = ({ requestContext: { requestId, http } }: APIGatewayProxyEventV2): Origin => ({
  requestId,
  ipAddress: http.sourceIp,
  ...(http.userAgent !== undefined && { userAgent: http.userAgent }),
});

/**
 * The Lambda handler of a route. It answers every failure with the Error body and writes one log line per request.
 */
export const createHandler = <const R extends Route>(
  route: R,
  work: Work<R>,
  { authenticate, cursors, recordRefusal }: HandlerParts,
): HttpHandler => {
  const parseRequest = createRequestParser(route, cursors);
  const renderResult = createResultRenderer(route, cursors);

  /** The caller, with the route's permission; undefined on a public route. Refusals are recorded. */
  const admit = async (event: APIGatewayProxyEventV2): Promise<Caller | undefined> => {
    let caller: Caller | undefined;
    try {
      caller = await authenticate?.(event.headers.authorization);
      if (caller !== undefined) requirePermission(caller, route);
      return caller;
    } catch (error) {
      if (error instanceof DomainError && catalogueEntry(error.code).status < 500) {
        const refused = error instanceof RefusedCallerError ? error.caller : caller;
        await recordRefusal?.({ route, event, error, caller: refused });
      }
      throw error;
    }
  };

  const handle = async (event: APIGatewayProxyEventV2): Promise<Response> => {
    const caller = await admit(event);
    const parsed = await parseRequest(event, caller);
    const result = await work({ ...parsed.request, caller: caller as CallerOf<R>, origin: originOf(event) });
    return renderResult(event, parsed, result);
  };

  return middy(handle, { timeoutEarlyInMillis: ANSWER_BEFORE_TIMEOUT_MS })
    .use(logRequests(`${route.method} ${route.path}`))
    .use(answerErrors());
};
