/**
 * Refusals become security events: tokens that are not accepted, and callers who may not. Callers with a valid token
 * are recorded one by one, bad tokens up to a bound per address (shared/security/flood.ts). A request without any token
 * is no event; the log's metric counts it.
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Caller } from "../api/caller.ts";
import { catalogueEntry } from "../api/error-catalogue.ts";
import { type Route, tags } from "../api/route.ts";
import type { Clock } from "../runtime/clock.ts";
import type { DomainError } from "../runtime/domain-error.ts";
import { createFloodCounter } from "../security/flood.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";

export type Refusal = {
  route: Route;
  event: APIGatewayProxyEventV2;
  error: DomainError;
  /** Who was refused, as far as a signature vouches for it. */
  caller: Caller | undefined;
};

export type RecordRefusal = (refusal: Refusal) => Promise<void>;

const toSnakeCase = (text: string) =>
  text
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();

const toEvent = ({ route, event, error, caller }: Refusal): NewSecurityEvent => {
  const { status, number } = catalogueEntry(error.code);
  const { http, requestId } = event.requestContext;
  const isAuthentication = status === 401;
  const { resourceType } = tags[route.tag];
  return {
    eventType: isAuthentication ? "AUTHENTICATION_FAILURE" : "PERMISSION_DENIED",
    category: isAuthentication ? "authentication" : "authorization",
    riskLevel: "HIGH",
    source: "user",
    ...(caller?.organizationId !== undefined && { organizationId: caller.organizationId }),
    ...(caller !== undefined && { userId: caller.userId }),
    ...(caller?.sessionId !== undefined && { sessionId: caller.sessionId }),
    ipAddress: http.sourceIp,
    ...(http.userAgent !== undefined && { userAgent: http.userAgent }),
    resource: `${route.method} ${route.path}`,
    ...(resourceType !== undefined && { resourceType }),
    action: toSnakeCase(`${route.method} ${route.path}`),
    success: false,
    errorCode: String(number),
    errorMessage: error.message,
    metadata: { requestId, permission: route.permission },
  };
};

/** Records refusals for one instance of a function. */
export const createRefusalRecorder = (recorder: Pick<Recorder, "record">, now: Clock): RecordRefusal => {
  const countFailure = createFloodCounter();

  return async (refusal) => {
    if (refusal.error.code === "no_bearer_token") return;
    const { userId, ...event } = toEvent(refusal);
    const whole = userId === undefined ? event : { ...event, userId };
    if (event.eventType === "PERMISSION_DENIED") {
      await recorder.record(whole);
      return;
    }
    const verdict = countFailure(`${event.ipAddress} ${event.organizationId ?? ""}`, userId, now());
    if (verdict.record === "single") await recorder.record(whole);
    if (verdict.record !== "count") return;
    const { failures, users } = verdict;
    await recorder.record({
      ...event,
      errorMessage: `At least ${failures} more tokens from this address were refused.`,
      metadata: { ...event.metadata, failures, users, isLowerBound: true },
    });
  };
};
