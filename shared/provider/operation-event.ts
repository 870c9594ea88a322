/** The security event of an operation: one for all its attempts. Pure. */
import { CircuitOpenError } from "../circuit-breaker/circuit-open-error.ts";
import type { RecordType } from "../records/record.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { ErrorKind } from "../security/categorise-error.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { OperationContext } from "./provider-access.ts";
import { ProviderError } from "./provider-error.ts";

/** What happened on the way. Times in ms; `pacedMs` was waited for our own pace, and is no part of `durationMs`. */
export type OperationReport = {
  durationMs: number;
  pacedMs: number;
  /** Requests on the wire. */
  attempts: number;
  /** Refusals by a rate limit of the provider, those that a later attempt made good included. */
  rateLimited: number;
  /** The longest that the provider asked us to wait. */
  retryAfterMs: number;
  /** What the last attempt met that failed. */
  lastError?: ProviderError;
};

/** What an operation was. `result` is missing where it failed. */
export type OperationFacts = { action: string; type?: RecordType; result?: { batchSize?: number; accountId?: string } };

type Kinded = Pick<NewSecurityEvent, "eventType" | "category">;

const plain: Kinded = { eventType: "PROVIDER_REQUEST", category: "integration" };

const byKind: Partial<Record<ErrorKind, Kinded>> = {
  rate_limit: { eventType: "RATE_LIMIT_EXCEEDED", category: "integration" },
  authentication: { eventType: "AUTHENTICATION_FAILURE", category: "authentication" },
  authorization: { eventType: "PERMISSION_DENIED", category: "authorization" },
};

/** That credentials which are only being tried are refused, or may not do enough, is nobody's failure: no rule counts it. */
const isOfTrial = ({ kind }: ProviderError, { isConnecting }: OperationContext): boolean =>
  isConnecting === true && (kind === "authentication" || kind === "authorization");

const kindedOf = (error: ProviderError, context: OperationContext): Kinded =>
  (isOfTrial(error, context) ? undefined : byKind[error.kind]) ?? plain;

type Outcome = Kinded & Pick<NewSecurityEvent, "errorCode" | "errorMessage"> & RiskOf;
type RiskOf = { riskLevel: "LOW" | "MEDIUM" } | { errorKind: ErrorKind };

const failureOf = (error: unknown, context: OperationContext): Outcome => {
  if (error instanceof ProviderError) {
    const errorCode = error.code ?? (error.status === undefined ? "no_answer" : `http_${error.status}`);
    return { ...kindedOf(error, context), errorKind: error.kind, errorCode, errorMessage: error.message };
  }
  // Refused by the circuit: nothing was sent, and that it opened is an event of its own.
  if (error instanceof CircuitOpenError) {
    return { ...plain, riskLevel: "LOW", errorCode: error.code, errorMessage: error.message };
  }
  return { ...plain, riskLevel: "MEDIUM", errorCode: error instanceof DomainError ? error.code : "system" };
};

/** Where the circuit opened on the way, the operation failed by what opened it. */
const decisiveOf = (error: unknown, lastError: ProviderError | undefined): unknown =>
  error instanceof CircuitOpenError ? (lastError ?? error) : error;

/** @param failure how it failed; missing where it succeeded. */
export const operationEvent = (
  { action, type, result }: OperationFacts,
  context: OperationContext,
  { durationMs, pacedMs, attempts, rateLimited, retryAfterMs, lastError }: OperationReport,
  failure?: { error: unknown },
): NewSecurityEvent => {
  const { organizationId, source, userId, sessionId, ipAddress, userAgent, runId } = context;
  const resource = context.accountId ?? result?.accountId;
  return {
    organizationId,
    source,
    ...(userId !== undefined && { userId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(ipAddress !== undefined && { ipAddress }),
    ...(userAgent !== undefined && { userAgent }),
    ...(failure === undefined
      ? { ...plain, riskLevel: "LOW" as const }
      : failureOf(decisiveOf(failure.error, lastError), context)),
    ...(resource !== undefined && { resource }),
    resourceType: "provider_account",
    action,
    success: failure === undefined,
    metadata: {
      durationMs,
      attempts,
      ...(pacedMs > 0 && { pacedMs }),
      ...(retryAfterMs > 0 && { retryAfterMs }),
      ...(rateLimited > 0 && { rateLimited }),
      ...(type !== undefined && { type }),
      ...(result?.batchSize !== undefined && { batchSize: result.batchSize }),
      ...(runId !== undefined && { runId }),
    },
  };
};
