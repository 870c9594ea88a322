/**
 * The circuit of one organization: its limits, its states, and what it is at a given time. Pure.
 *
 * Reading order: circuit.ts (states) · decide.ts (which write a call needs) · reduce.ts (what a write does, in memory)
 * · circuit-updates.ts (the same in DynamoDB) · circuit-item.ts and circuit-keys.ts (the stored form) ·
 * circuit-store.ts (the table) · circuit-access.ts (copies, retries on conflict, store failures) · guard.ts (a guarded
 * call) · announce.ts and record-transition.ts (what a transition leaves) · operator.ts (POST circuit-breaker) ·
 * request-counter.ts and circuit-statistics.ts (GET circuit-breaker). The page: docs/circuit-breaker.md.
 */

/** Spec: Limits, "5 failures in 60 seconds". The item holds the last 4; the fifth failure opens the circuit. */
export const FAILURE_THRESHOLD = 5;

/** Spec: Limits. A failure of exactly this age no longer counts. */
export const FAILURE_WINDOW_MS = 60_000;

/** Spec: Limits, "Circuit breaker recovery timeout". */
export const RECOVERY_TIMEOUT_MS = 30_000;

/** Spec: Limits, "Circuit breaker half-open max calls": calls admitted per half-open round. */
export const HALF_OPEN_MAX_CALLS = 3;

/** Spec: Limits, "Circuit breaker success threshold": consecutive successes that close the circuit. */
export const SUCCESS_THRESHOLD = 2;

/** Lifetime of a permit of a half-open round. The time-out of a call must be shorter. */
export const LEASE_MS = 12_000;

/** A round without a result ends this long after its last lease, so that crashed callers cannot block the circuit. */
export const LOST_ROUND_MS = 30_000;

/** The stored state. Operators set the forced states; automatic writes leave them alone. */
export const storedStates = ["closed", "open", "half_open", "forced_open", "forced_closed"] as const;
export type StoredState = (typeof storedStates)[number];

/** Spec: POST circuit-breaker. */
export const operatorActions = ["reset", "force_open", "force_close"] as const;
export type OperatorAction = (typeof operatorActions)[number];

/** Why a generation began. */
export const causes = [
  "failures",
  "recovery_timeout",
  "probe_failed",
  "probes_succeeded",
  "probes_lost",
  "until_passed",
  ...operatorActions,
] as const;
export type Cause = (typeof causes)[number];

/** The start of a generation. Only an operator's has `by` and `reason`. `at` in epoch ms. */
export type GenerationStart = {
  generation: number;
  to: StoredState;
  cause: Cause;
  at: number;
  by?: string;
  reason?: string;
};

/** A failure of the current closed generation. `id` is the id of the call, so that a resent write counts once. */
export type Failure = { at: number; id: string };

/** Whether a failure at `at` is the 5th within the window. @param failures the failures before, oldest first. */
export const reachesThreshold = (failures: readonly Failure[], at: number): boolean => {
  const oldest = failures.at(-(FAILURE_THRESHOLD - 1));
  return oldest !== undefined && oldest.at > at - FAILURE_WINDOW_MS;
};

/** Numbers of requests. `rejected`: refused by the circuit and never sent. */
export type Counts = { total: number; failed: number; rejected: number };

export const noCounts: Counts = { total: 0, failed: 0, rejected: 0 };

export const plus = (a: Counts, b: Counts): Counts => ({
  total: a.total + b.total,
  failed: a.failed + b.failed,
  rejected: a.rejected + b.rejected,
});

export const minus = (a: Counts, b: Counts): Counts => ({
  total: a.total - b.total,
  failed: a.failed - b.failed,
  rejected: a.rejected - b.rejected,
});

export const isZero = ({ total, failed, rejected }: Counts): boolean => total === 0 && failed === 0 && rejected === 0;

/** The fields of every circuit, in any state. */
export type CircuitHistory = {
  /** Increases by one at every transition and operator action. 0 if there was none. */
  generation: number;
  /** Starts of the last generations, oldest first, without a gap; the last one started the current generation. */
  starts: readonly GenerationStart[];
  /** Starts up to this generation are announced (announce.ts). */
  announced: number;
  /** Openings since the circuit was last closed. */
  openings: number;
  lastFailureAt?: number;
  /** Counts at the last reset; the organization's statistics subtract them. */
  baseline: Counts;
};

/** Times in epoch ms. */
export type CircuitState =
  /** `failures`: the last ones, oldest first, at most FAILURE_THRESHOLD − 1. */
  | { state: "closed"; failures: readonly Failure[] }
  | { state: "open"; until: number }
  /**
   * `until`: when the open time ended. `permits`: permit id → end of its lease, or 0 after its success.
   * `leasedUntil`: end of the lease granted last.
   */
  | {
      state: "half_open";
      until: number;
      permits: Readonly<Record<string, number>>;
      successes: number;
      leasedUntil: number;
    }
  /** Without `until` the circuit is held until the next operator action. */
  | { state: "forced_open"; until?: number }
  | { state: "forced_closed"; until?: number };

export type Circuit = CircuitHistory & CircuitState;

/** The circuit of an organization without an item. */
export const newCircuit: Circuit = {
  state: "closed",
  failures: [],
  generation: 0,
  starts: [],
  announced: 0,
  openings: 0,
  baseline: noCounts,
};

/** The state that applies now. `retryAt`: when a refused call may come again, in epoch ms; absent while held open. */
type EffectiveState =
  /** `held`: an operator holds the circuit closed; failures do not count. */
  | { state: "closed"; held: boolean }
  | { state: "open"; held: boolean; retryAt?: number }
  /** `retryAt` is present if all permits of the round are taken. */
  | { state: "half_open"; held: false; retryAt?: number };

/** Whether an operator's hold has reached its `until`. The circuit then counts as closed, without failures. */
export const isHoldOver = (circuit: Circuit, now: number): boolean =>
  (circuit.state === "forced_open" || circuit.state === "forced_closed") &&
  circuit.until !== undefined &&
  circuit.until <= now;

/** When a new round may replace a round that has no result. */
export const roundLostAt = ({ leasedUntil }: { leasedUntil: number }): number => leasedUntil + LOST_ROUND_MS;

/** Time alone ends the open state and an operator's hold: no write is needed. @param now epoch ms. */
export const effectiveState = (circuit: Circuit, now: number): EffectiveState => {
  if (isHoldOver(circuit, now)) return { state: "closed", held: false };
  switch (circuit.state) {
    case "closed":
      return { state: "closed", held: false };
    case "forced_closed":
      return { state: "closed", held: true };
    case "forced_open":
      return { state: "open", held: true };
    case "open":
      return now < circuit.until
        ? { state: "open", held: false, retryAt: circuit.until }
        : { state: "half_open", held: false };
    case "half_open": {
      const hasPermit = Object.keys(circuit.permits).length < HALF_OPEN_MAX_CALLS || roundLostAt(circuit) <= now;
      if (hasPermit) return { state: "half_open", held: false };
      const retryAt = now < circuit.leasedUntil ? circuit.leasedUntil : roundLostAt(circuit);
      return { state: "half_open", held: false, retryAt };
    }
  }
};

/**
 * One transition, or operator action, of one circuit. Organization and generation identify it, so it can be recorded
 * once although it is announced twice. Only an operator's has `by` and `reason`.
 */
export type Transition = GenerationStart & { organizationId: string; from: StoredState };

/** The transitions that are not announced yet, oldest first. */
export const unannounced = (organizationId: string, { starts, announced }: Circuit): Transition[] =>
  starts.flatMap((start, index) => {
    const from = starts[index - 1]?.to ?? "closed";
    return start.generation > announced ? [{ organizationId, from, ...start }] : [];
  });
