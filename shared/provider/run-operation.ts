/**
 * Runs an operation that reads from the provider: each attempt waits for the rate limiter and goes through the circuit;
 * failed attempts are retried; the operation is recorded as one security event. docs/provider.md, "Operations".
 */
import type { Guard } from "../circuit-breaker/guard.ts";
import type { Clock } from "../runtime/clock.ts";
import { attempt, MIN_ATTEMPT_MS, OPERATION_DEADLINE_MS, pauseBefore, timeoutError } from "./attempt.ts";
import type { Credentials, OperationContext, RequestOptions } from "./provider.ts";
import type { ProviderError } from "./provider-error.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { ReadCounts } from "./read-count-store.ts";
import type { OperationReport, RecordedOperation, RecordOperation } from "./record-operation.ts";

export type Operation<Value> = RecordedOperation<Value> & { send: (options: RequestOptions) => Promise<Value> };

/** Work on one organization's account. Its first operation reads the circuit from the store. */
export type Session = { context: OperationContext; credentials: Credentials; hasStarted: boolean };

export type OperationDependencies = {
  guard: Guard;
  rateLimiter: Pick<RateLimiter, "acquire">;
  recordOperation: RecordOperation;
  reads: Pick<ReadCounts, "count">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
  /** From 0 to 1. */
  random: () => number;
};

const addToReport = (error: ProviderError, report: OperationReport): void => {
  report.lastError = error;
  if (error.kind === "rate_limit") report.rateLimited++;
  report.retryAfterMs = Math.max(report.retryAfterMs, error.retryAfterMs ?? 0);
};

export const createRunOperation = (dependencies: OperationDependencies) => {
  const { guard, rateLimiter, recordOperation, reads, clock, sleep, random } = dependencies;

  const attemptAll = async <Value>(
    { send }: Operation<Value>,
    session: Session,
    firstSecret: string,
    report: OperationReport,
  ): Promise<Value> => {
    const { context, credentials } = session;
    const onSent = () => {
      report.attempts++;
      reads.count(context.organizationId);
    };
    const acquireSlot = async (options?: { isUnshared: boolean }) => {
      const { waitedMs, release } = await rateLimiter.acquire(context.organizationId, options);
      report.pacedMs += waitedMs;
      return release;
    };

    // An organization has one run under way: the first request of its worker is all that a quiet run needs.
    let release = await acquireSlot({ isUnshared: context.runId !== undefined && !session.hasStarted });
    // The deadline starts here: the wait for the rate limiter before the first attempt does not count.
    const deadlineAt = clock() + OPERATION_DEADLINE_MS;
    let secret = firstSecret;
    let mayReplace = true;
    let failures = 0;
    for (;;) {
      const isStart = !session.hasStarted;
      session.hasStarted = true;
      // If the clock was set back, the operation gets no more than its time.
      const remainingMs = Math.min(OPERATION_DEADLINE_MS, deadlineAt - clock());
      const options = { send, context, credentials, secret, mayReplace, isStart, remainingMs, onSent };
      const attempted = await attempt(guard, options).finally(release);
      if (attempted.do === "return") return attempted.value;
      if (attempted.do === "throw") throw attempted.error;
      if (attempted.do === "repeat") {
        secret = attempted.secret;
        mayReplace = false;
      } else {
        failures++;
        addToReport(attempted.error, report);
        const left = { attempts: failures, remainingMs: deadlineAt - clock(), random: random() };
        const pauseMs = pauseBefore(attempted.error, left);
        if (pauseMs === undefined) throw attempted.error;
        await sleep(pauseMs);
      }
      release = await acquireSlot();
      // Refreshing credentials or the rate limiter used the time up. A request cut off now would count against the provider.
      if (deadlineAt - clock() < MIN_ATTEMPT_MS) {
        release();
        throw report.lastError ?? timeoutError();
      }
    }
  };

  /** @throws ProviderError, CircuitOpenError, and the errors of the credentials. */
  return async <Value>(operation: Operation<Value>, session: Session): Promise<Value> => {
    // If the credentials cannot be read, no operation starts: their owner records that failure.
    const secret = await session.credentials.current();
    const value = await recordOperation(operation, session.context, (report) =>
      attemptAll(operation, session, secret, report),
    );
    // After the recording, whose duration is that of the provider.
    await session.credentials.accepted?.();
    return value;
  };
};
