/**
 * The guard that every call to the provider runs through: asks the organization's circuit, makes the call, and tells
 * the circuit how it went. One guarded call is one request on the wire; whoever repeats a call asks again.
 */
import type { Clock } from "../runtime/clock.ts";
import type { Announcer } from "./announce.ts";
import { LEASE_MS } from "./circuit.ts";
import { createCircuitAccess, type Ticket } from "./circuit-access.ts";
import { CallTimeoutError, CircuitOpenError } from "./circuit-open-error.ts";
import type { CircuitStore } from "./circuit-store.ts";
import type { Outcome } from "./decide.ts";
import type { Statistics } from "./statistics.ts";

/** A call's end must be reported while its permit is alive: some time is the store's, before it and after it. */
export const MAX_CALL_TIMEOUT_MS = LEASE_MS - 2_000;
const DEFAULT_CALL_TIMEOUT_MS = 8_000;

/** What a thrown error says about the provider. It is not asked about time-outs, which are failures. */
export type ClassifyError = (error: unknown) => Outcome;

/**
 * `isStart`: the call begins a piece of work, so the circuit is read as it is, and not from a copy. `classifyError`
 * and `timeoutMs` go before the guard's own.
 */
export type CallOptions = { isStart?: boolean; classifyError?: ClassifyError; timeoutMs?: number };

/** Makes one request. The signal is aborted when its time is over. */
export type GuardedCall<Value> = (signal: AbortSignal) => Promise<Value>;

export type Guard = {
  /**
   * @returns what the call returns; that is a success.
   * @throws what the call throws; CallTimeoutError; CircuitOpenError where the call was not made.
   */
  <Value>(organizationId: string, call: GuardedCall<Value>, options?: CallOptions): Promise<Value>;

  /** Whether the circuit is on trial, as the calls so far left it: one more success may then close it. No request. */
  isHalfOpen(organizationId: string): boolean;

  /** To be awaited at the end of each invocation: sends the counts, and what is being announced. Never throws. */
  flush(): Promise<void>;
};

export type GuardDependencies = {
  store: Pick<CircuitStore, "read" | "write">;
  announcer: Announcer;
  statistics: Pick<Statistics, "count" | "flush">;
  clock: Clock;
  /** Without one every error is a failure. */
  classifyError?: ClassifyError;
  timeoutMs?: number;
};

/** Runs the call for so long. What comes of it later is nobody's. */
const inTime = <Value>(call: GuardedCall<Value>, timeoutMs: number): Promise<Value> => {
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
  throw new RangeError(`A guarded call may take up to ${MAX_CALL_TIMEOUT_MS} ms, and not ${timeoutMs}.`);
};

/** @throws RangeError where a call's time-out would outlive its permit. */
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
      value = await inTime(call, timeoutMs);
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
