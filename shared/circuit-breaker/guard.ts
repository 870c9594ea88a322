/**
 * The guard: every call to the provider asks the organization's circuit first and reports its result to the circuit.
 * One guarded call is one request on the wire. A retry is another guarded call.
 */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { Announcer } from "./announce.ts";
import { LEASE_MS } from "./circuit.ts";
import { createCircuitAccess, type Ticket } from "./circuit-access.ts";
import type { CircuitStore } from "./circuit-store.ts";
import type { Outcome } from "./decide.ts";
import type { RequestCounter } from "./request-counter.ts";

/** The result must be reported before the lease expires; the difference is for the store, before and after the call. */
export const MAX_CALL_TIMEOUT_MS = LEASE_MS - 2_000;
const DEFAULT_CALL_TIMEOUT_MS = 8_000;

/** The circuit refused the call: it is open, or all permits of a half-open round are taken. */
export class CircuitOpenError extends DomainError {
  /** When another call may be admitted, in epoch ms. Undefined while an operator holds the circuit open. */
  readonly retryAt: number | undefined;

  /** @param now epoch ms; Retry-After counts from here. */
  constructor(retryAt: number | undefined, now: number) {
    super(
      "circuit_open",
      retryAt === undefined
        ? "An operator holds the circuit open: the provider is not called."
        : "The circuit is open after failures: the provider is not called for a while.",
      retryAt === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil((retryAt - now) / 1_000)) },
    );
    this.retryAt = retryAt;
  }
}

/** A guarded call exceeded its time-out. It counts as a failure, and its signal is aborted. */
export class CallTimeoutError extends Error {
  override readonly name = "CallTimeoutError";
}

/** What a thrown error means for the circuit. A time-out is always a failure. */
type ClassifyError = (error: unknown) => Outcome;

/**
 * `isStart`: the call starts work, so the guard reads the stored circuit instead of a copy. `classifyError` and
 * `timeoutMs` override the guard's own.
 */
export type CallOptions = { isStart?: boolean; classifyError?: ClassifyError; timeoutMs?: number };

/** Makes one request. The signal is aborted at the time-out. */
export type GuardedCall<Value> = (signal: AbortSignal) => Promise<Value>;

export type Guard = {
  /**
   * @returns the call's value; the call counts as a success.
   * @throws the call's error; CallTimeoutError; CircuitOpenError if the call was not made.
   */
  <Value>(organizationId: string, call: GuardedCall<Value>, options?: CallOptions): Promise<Value>;

  /** Whether the circuit was half-open after the last call: one more success may then close it. No request. */
  isHalfOpen(organizationId: string): boolean;

  /** Sends counts and waits for announcements. Await it at the end of each invocation. Never throws. */
  flush(): Promise<void>;
};

type GuardDependencies = {
  store: Pick<CircuitStore, "read" | "write">;
  announcer: Announcer;
  statistics: Pick<RequestCounter, "count" | "flush">;
  clock: Clock;
  /** Default: every error is a failure. */
  classifyError?: ClassifyError;
  timeoutMs?: number;
};

/** Runs the call until the time-out. The result of a call that takes longer is ignored. */
const withTimeout = <Value>(call: GuardedCall<Value>, timeoutMs: number): Promise<Value> => {
  const controller = new AbortController();
  return new Promise<Value>((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new CallTimeoutError(`The call took longer than ${timeoutMs} ms.`);
      reject(error);
      controller.abort(error);
    }, timeoutMs);
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      end();
    };
    call(controller.signal).then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
};

const allowedTimeout = (timeoutMs: number): number => {
  if (timeoutMs > 0 && timeoutMs <= MAX_CALL_TIMEOUT_MS) return timeoutMs;
  throw new RangeError(`timeoutMs: must be more than 0 and at most ${MAX_CALL_TIMEOUT_MS}, not ${timeoutMs}.`);
};

/** @throws RangeError if a call's time-out is longer than its permit. */
export const createGuard = (dependencies: GuardDependencies): Guard => {
  const { announcer, statistics, clock, classifyError = () => "failure" } = dependencies;
  const access = createCircuitAccess(dependencies);
  const defaultTimeoutMs = allowedTimeout(dependencies.timeoutMs ?? DEFAULT_CALL_TIMEOUT_MS);

  const admitted = async (organizationId: string, isStart: boolean): Promise<Ticket> => {
    const answer = await access.admit(organizationId, { isStart });
    if (answer.do === "admit") return answer.ticket;
    statistics.count(organizationId, "rejected");
    throw new CircuitOpenError(answer.retryAt, clock());
  };

  const ended = async (organizationId: string, ticket: Ticket, outcome: Outcome): Promise<void> => {
    statistics.count(organizationId, outcome === "failure" ? "failed" : "succeeded");
    if (ticket.isProbe || outcome === "failure") await access.report(organizationId, ticket, outcome);
  };

  const guard = async <Value>(
    organizationId: string,
    call: GuardedCall<Value>,
    options: CallOptions = {},
  ): Promise<Value> => {
    const timeoutMs = options.timeoutMs === undefined ? defaultTimeoutMs : allowedTimeout(options.timeoutMs);
    const isStart = options.isStart === true;
    const copied = isStart ? undefined : access.admitFromCopy(organizationId);
    const ticket = copied ?? (await admitted(organizationId, isStart));
    let value: Value;
    try {
      value = await withTimeout(call, timeoutMs);
    } catch (error) {
      const classify = options.classifyError ?? classifyError;
      await ended(organizationId, ticket, error instanceof CallTimeoutError ? "failure" : classify(error));
      throw error;
    }
    await ended(organizationId, ticket, "success");
    return value;
  };

  return Object.assign(guard, {
    isHalfOpen: access.isHalfOpen,
    flush: async () => {
      await Promise.all([announcer.settle(), statistics.flush()]);
    },
  });
};
