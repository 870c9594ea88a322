/**
 * The circuit of one organization: what is known about its provider, and the numbers that decide. Start here; the
 * files beside this one are pure (time and ids are arguments) except for the stores and the guard.
 * docs/circuit-breaker.md tells the whole.
 */

/** Spec: Limits, "5 failures in 60 seconds". The stored window holds one less; the fifth opens. */
export const FAILURE_THRESHOLD = 5;

/** Spec: Limits. A failure exactly this old is out. */
export const FAILURE_WINDOW_MS = 60_000;

/** Spec: Limits, "Circuit breaker recovery timeout". */
export const RECOVERY_TIMEOUT_MS = 30_000;

/** Spec: Limits, "Circuit breaker half-open max calls": admitted in one half-open round, in all. */
export const HALF_OPEN_MAX_CALLS = 3;

/** Spec: Limits, "Circuit breaker success threshold": consecutive ones that close. */
export const SUCCESS_THRESHOLD = 2;

/** How long a permit of a half-open round is its holder's; every call's time-out is shorter. */
export const LEASE_MS = 12_000;

/** After the last lease of a round without a verdict: then a new round may start, so that dead callers wedge nothing. */
export const LOST_ROUND_MS = 30_000;

/** What is stored. The forced ones are an operator's, and no automatic write touches them. */
export type StoredState = "closed" | "open" | "half_open" | "forced_open" | "forced_closed";

/** Why a generation began. */
export type Cause =
  | "failures"
  | "recovery_timeout"
  | "probe_failed"
  | "probes_succeeded"
  | "probes_lost"
  | "until_passed"
  | OperatorAction;

/** Spec: POST circuit-breaker. */
export const operatorActions = ["reset", "force_open", "force_close"] as const;
export type OperatorAction = (typeof operatorActions)[number];

/** The beginning of one generation. `by` and `reason` are an operator's; automatic ones have none. Times in ms. */
export type GenerationStart = {
  generation: number;
  to: StoredState;
  cause: Cause;
  at: number;
  by?: string;
  reason?: string;
};

/** A failure of the current closed generation: `id` names the call, so that a repeated write counts once. */
export type Failure = { at: number; id: string };

/** Requests that the organization's statistics leave out, because an operator has reset them since. */
export type Counts = { total: number; failed: number; rejected: number };

export const noCounts: Counts = { total: 0, failed: 0, rejected: 0 };

/** What every circuit has, whatever its state. */
export type CircuitHistory = {
  /** One more at every transition and operator action. 0 where nothing ever happened. */
  generation: number;
  /** The last generations' beginnings, oldest first, without a gap; the last one is the current one's. */
  starts: readonly GenerationStart[];
  /** Up to which generation the beginnings were announced (announce.ts). */
  announced: number;
  /** Openings since the circuit was last closed. */
  openings: number;
  lastFailureAt?: number;
  /** The counts at the last reset. */
  baseline: Counts;
};

/** Times in epoch milliseconds. */
export type CircuitState =
  /** `failures`: the last ones, oldest first, at most FAILURE_THRESHOLD − 1. */
  | { state: "closed"; failures: readonly Failure[] }
  | { state: "open"; until: number }
  /**
   * `until`: when the open time ended. `permits`: by permit id its lease's end, or 0 once it succeeded.
   * `leasedUntil`: the end of the lease that was given last.
   */
  | {
      state: "half_open";
      until: number;
      permits: Readonly<Record<string, number>>;
      successes: number;
      leasedUntil: number;
    }
  /** Without `until`: for as long as no operator says otherwise. */
  | { state: "forced_open"; until?: number }
  | { state: "forced_closed"; until?: number };

export type Circuit = CircuitHistory & CircuitState;

/** The circuit of an organization that nothing was ever stored about. */
export const newCircuit: Circuit = {
  state: "closed",
  failures: [],
  generation: 0,
  starts: [],
  announced: 0,
  openings: 0,
  baseline: noCounts,
};
