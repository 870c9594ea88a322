/** The security event of an operation: one for all its attempts. Pure. */
/** Does an operation, and records it as one security event, however it ended. */
import { CircuitOpenError } from "../circuit-breaker/circuit-open-error.ts";
import type { RecordType } from "../records/record.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import type { ErrorKind } from "../terms/risk-levels.ts";
import type { OperationContext } from "./provider.ts";
import { ProviderError } from "./provider-error.ts";

/** Port: what watches the latency of operations. Detection implements it (shared/detection/observe-latency.ts). */

/** An operation that reached the provider: its event's id, when it ended (epoch ms), and how long it took. */
export type TimedOperation = { id: string; at: number; durationMs: number };

/** `flush` is to be awaited at the end of an invocation; it never throws. */
export type LatencyObserver = {
  observe(organizationId: string, operation: TimedOperation): void;
  flush(): Promise<void>;
};

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

type Recorded<Value> = Pick<OperationFacts, "action" | "type"> & {
  result?: (value: Value) => OperationFacts["result"];
};

export type RecordOperation = ReturnType<typeof createRecordOperation>;

type Parts = {
  recorder: Pick<Recorder, "record">;
  /** Told how long each operation took that reached the provider. */
  latency?: Pick<LatencyObserver, "observe"> | undefined;
  clock: Clock;
};

export const createRecordOperation = ({ recorder, latency, clock }: Parts) => {
  const record = async (
    said: NewSecurityEvent,
    { organizationId }: OperationContext,
    { attempts, durationMs }: OperationReport,
  ): Promise<void> => {
    const event = await recorder.record(said);
    if (attempts > 0)
      latency?.observe(organizationId, { id: event?.id ?? "", at: event?.timestamp ?? clock(), durationMs });
  };

  return async <Value>(
    { action, type, result }: Recorded<Value>,
    context: OperationContext,
    work: (report: OperationReport) => Promise<Value>,
  ): Promise<Value> => {
    const startedAt = clock();
    const report: OperationReport = { durationMs: 0, pacedMs: 0, attempts: 0, rateLimited: 0, retryAfterMs: 0 };
    const facts = { action, ...(type !== undefined && { type }) };
    const end = () => {
      report.durationMs = Math.max(0, clock() - startedAt - report.pacedMs);
    };
    let value: Value;
    try {
      value = await work(report);
    } catch (error) {
      end();
      await record(operationEvent(facts, context, report, { error }), context, report);
      throw error;
    }
    end();
    const said = result?.(value);
    const succeeded = { ...facts, ...(said !== undefined && { result: said }) };
    await record(operationEvent(succeeded, context, report), context, report);
    return value;
  };
};
