/**
 * Carries out what reads from the provider: at our own pace, each attempt through the circuit, tried again where that
 * helps, and recorded as one security event. docs/provider.md, "Operations".
 */
import type { Guard } from "../circuit-breaker/guard.ts";
import type { Clock } from "../runtime/clock.ts";
import { attempt, MIN_ATTEMPT_MS, OPERATION_DEADLINE_MS, pauseBefore, timeoutError } from "./attempt.ts";
import type { Credentials, OperationContext, RequestOptions } from "./provider.ts";
import type { ProviderError } from "./provider-error.ts";
import type { Pace } from "./rate-limiter.ts";
import type { ReadCounts } from "./read-count-store.ts";
import type { OperationFacts, OperationReport, RecordOperation } from "./record-operation.ts";

/** `result`: what the event says of what came of it. */
export type Operation<Value> = Pick<OperationFacts, "action" | "type"> & {
  send: (options: RequestOptions) => Promise<Value>;
  result?: (value: Value) => OperationFacts["result"];
};

/** Work on one organization's account; its first operation begins by reading the circuit as it is. */
export type Session = { context: OperationContext; credentials: Credentials; hasStarted: boolean };

export type OperateDependencies = {
  guard: Guard;
  pace: Pick<Pace, "turn">;
  recordOperation: RecordOperation;
  reads: Pick<ReadCounts, "count">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
  /** From 0 to 1. */
  random: () => number;
};

export type Operate = ReturnType<typeof createOperate>;

const note = (error: ProviderError, report: OperationReport): void => {
  report.lastError = error;
  if (error.kind === "rate_limit") report.rateLimited++;
  report.retryAfterMs = Math.max(report.retryAfterMs, error.retryAfterMs ?? 0);
};

export const createOperate = ({ guard, pace, recordOperation, reads, clock, sleep, random }: OperateDependencies) => {
  const tryAll = async <Value>(
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
    const takeTurn = async () => {
      const { pacedMs, end } = await pace.turn(context.organizationId);
      report.pacedMs += pacedMs;
      return end;
    };

    let endTurn = await takeTurn();
    // From here on: our own pace before the first attempt is not the provider's doing.
    const deadlineAt = clock() + OPERATION_DEADLINE_MS;
    let secret = firstSecret;
    let failures = 0;
    for (;;) {
      const isStart = !session.hasStarted;
      session.hasStarted = true;
      // A clock that was set back gives no more time than there was.
      const remainingMs = Math.min(OPERATION_DEADLINE_MS, deadlineAt - clock());
      const mayReplace = secret === firstSecret;
      const options = { send, context, credentials, secret, mayReplace, isStart, remainingMs, onSent };
      const attempted = await attempt(guard, options).finally(endTurn);
      if (attempted.do === "return") return attempted.value;
      if (attempted.do === "throw") throw attempted.error;
      if (attempted.do === "repeat") secret = attempted.secret;
      else {
        failures++;
        note(attempted.error, report);
        const left = { attempts: failures, remainingMs: deadlineAt - clock(), random: random() };
        const pauseMs = pauseBefore(attempted.error, left);
        if (pauseMs === undefined) throw attempted.error;
        await sleep(pauseMs);
      }
      endTurn = await takeTurn();
      // Other credentials or our own pace took the time: cut off at once, a request would look like the provider's failure.
      if (deadlineAt - clock() < MIN_ATTEMPT_MS) {
        endTurn();
        throw report.lastError ?? timeoutError();
      }
    }
  };

  /** @throws ProviderError, CircuitOpenError, and what the credentials throw. */
  return async <Value>(operation: Operation<Value>, session: Session): Promise<Value> => {
    // Without credentials no operation begins, and there is none to record; that is done by who could not give them.
    const secret = await session.credentials.current();
    return recordOperation(operation, session.context, (report) => tryAll(operation, session, secret, report));
  };
};
