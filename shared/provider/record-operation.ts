/** Records an operation as one security event, for all its attempts and however it ends. */
import { CircuitOpenError } from "../circuit-breaker/guard.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { RecordType } from "../records/record.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { countMetric } from "../runtime/log.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { requesterFields } from "../terms/requester.ts";
import type { ErrorKind } from "../terms/risk-levels.ts";
import type { OperationContext } from "./provider.ts";
import { isUnreadable, ProviderError } from "./provider-error.ts";

/**
 * An operation that reached the provider: its event's id ("" without an event), its end in epoch ms, its duration; and the
 * user that it was carried out for, with the user's address.
 */
export type TimedOperation = { id: string; at: number; durationMs: number; userId?: string; ipAddress?: string };

/** Port: observes the latency of operations (shared/detection/observe-latency.ts). */
export type LatencyObserver = {
  observe(organizationId: string, operation: TimedOperation): void;
  /** To be awaited at the end of an invocation; never throws. */
  flush(): Promise<void>;
};

/** What happened during an operation. Times in ms. */
export type OperationReport = {
  /** Without `pacedMs`. */
  durationMs: number;
  /** The wait for our own rate limiter. */
  pacedMs: number;
  /** Requests that were sent. */
  attempts: number;
  /** Attempts that the provider's rate limit rejected, including those that a later attempt made up for. */
  rateLimited: number;
  /** The longest Retry-After. */
  retryAfterMs: number;
  /** The error of the last failed attempt. */
  lastError?: ProviderError;
};

type OperationResult = { batchSize?: number; accountId?: string };

/** `result`: the part of an operation's value that its event contains. */
export type RecordedOperation<Value> = {
  action: string;
  type?: RecordType;
  /** A refusal for lack of a permission is expected, and is no failure of the provider: LOW, without an alert. */
  mayBeRefused?: boolean;
  result?: (value: Value) => OperationResult;
};

type Classification = Pick<NewSecurityEvent, "eventType" | "category">;

const request: Classification = { eventType: "PROVIDER_REQUEST", category: "integration" };

const byKind: Partial<Record<ErrorKind, Classification>> = {
  rate_limit: { eventType: "RATE_LIMIT_EXCEEDED", category: "integration" },
  authentication: { eventType: "AUTHENTICATION_FAILURE", category: "authentication" },
  authorization: { eventType: "PERMISSION_DENIED", category: "authorization" },
};

/** While connecting, rejected credentials are no authentication failure: no detection rule may count them. */
const isRejectedTrial = ({ kind }: ProviderError, { isConnecting }: OperationContext): boolean =>
  isConnecting === true && (kind === "authentication" || kind === "authorization");

type Failure = Classification &
  Pick<NewSecurityEvent, "errorCode" | "errorMessage"> &
  ({ riskLevel: "LOW" | "MEDIUM" } | { errorKind: ErrorKind });

const isExpected = (error: unknown, { mayBeRefused }: Pick<RecordedOperation<unknown>, "mayBeRefused">): boolean =>
  mayBeRefused === true && isUnreadable(error);

const failureOf = (
  error: unknown,
  operation: Pick<RecordedOperation<unknown>, "mayBeRefused">,
  context: OperationContext,
): Failure => {
  if (error instanceof ProviderError) {
    if (error.reason === "connection_ended") {
      return { ...request, riskLevel: "LOW", errorCode: error.reason, errorMessage: error.message };
    }
    const classification = (isRejectedTrial(error, context) ? undefined : byKind[error.kind]) ?? request;
    const errorCode = error.code ?? (error.status === undefined ? "no_answer" : `http_${error.status}`);
    if (isExpected(error, operation)) return { ...request, riskLevel: "LOW", errorCode, errorMessage: error.message };
    return { ...classification, errorKind: error.kind, errorCode, errorMessage: error.message };
  }
  // Nothing was sent, and the opening of the circuit has an event of its own.
  if (error instanceof CircuitOpenError) {
    return { ...request, riskLevel: "LOW", errorCode: error.code, errorMessage: error.message };
  }
  return { ...request, riskLevel: "MEDIUM", errorCode: error instanceof DomainError ? error.code : "system" };
};

const eventOf = (
  operation: Pick<RecordedOperation<unknown>, "action" | "type" | "mayBeRefused">,
  context: OperationContext,
  { durationMs, pacedMs, attempts, rateLimited, retryAfterMs, lastError }: OperationReport,
  end: { result: OperationResult | undefined } | { error: unknown },
): NewSecurityEvent => {
  const { action, type } = operation;
  const { organizationId, source, runId } = context;
  const result = "error" in end ? undefined : end.result;
  const resource = context.accountId ?? result?.accountId;
  // If the circuit opened during the operation, the operation failed by the error that opened it.
  const failure = "error" in end && (end.error instanceof CircuitOpenError ? (lastError ?? end.error) : end.error);
  return {
    organizationId,
    source,
    ...requesterFields(context),
    ...("error" in end ? failureOf(failure, operation, context) : { ...request, riskLevel: "LOW" as const }),
    ...definedFields({ resource }),
    resourceType: "provider_account",
    action,
    success: !("error" in end),
    metadata: {
      durationMs,
      attempts,
      ...(pacedMs > 0 && { pacedMs }),
      ...(retryAfterMs > 0 && { retryAfterMs }),
      ...(rateLimited > 0 && { rateLimited }),
      ...definedFields({ type, batchSize: result?.batchSize, runId }),
    },
  };
};

export type RecordOperation = ReturnType<typeof createRecordOperation>;

/** Port: hears of calls that the provider refused, once their event is recorded. Never throws. `at`: epoch ms. */
export type OnRefused = (organizationId: string, refusal: { eventId: string; at: number }) => Promise<void>;

type Dependencies = {
  recorder: Pick<Recorder, "record">;
  latency?: Pick<LatencyObserver, "observe"> | undefined;
  onRefused?: OnRefused | undefined;
  clock: Clock;
};

export const createRecordOperation =
  ({ recorder, latency, onRefused, clock }: Dependencies) =>
  async <Value>(
    operation: RecordedOperation<Value>,
    context: OperationContext,
    work: (report: OperationReport) => Promise<Value>,
  ): Promise<Value> => {
    const startedAt = clock();
    const report: OperationReport = { durationMs: 0, pacedMs: 0, attempts: 0, rateLimited: 0, retryAfterMs: 0 };

    const record = async (end: Parameters<typeof eventOf>[3]): Promise<void> => {
      const event = await recorder.record(eventOf(operation, context, report, end));
      const { attempts, durationMs } = report;
      if (event?.eventType === "AUTHENTICATION_FAILURE")
        await onRefused?.(context.organizationId, { eventId: event.id, at: event.timestamp });
      if (attempts === 0) return;
      latency?.observe(context.organizationId, {
        id: event?.id ?? "",
        at: event?.timestamp ?? clock(),
        durationMs,
        ...definedFields({ userId: context.userId, ipAddress: context.ipAddress }),
      });
    };
    const measure = () => {
      report.durationMs = Math.max(0, clock() - startedAt - report.pacedMs);
    };

    let value: Value;
    try {
      value = await work(report).finally(measure);
    } catch (error) {
      if (report.attempts > 0 && !isExpected(error, operation)) countMetric("ProviderFailures");
      await record({ error });
      throw error;
    }
    await record({ result: operation.result?.(value) });
    return value;
  };
