/**
 * What each write and each operator action does to a circuit in memory. Pure. circuit-updates.ts does the same in
 * DynamoDB, and the tests compare both in every state that the explorer reaches. The circuits of a process use this.
 */
import { definedFields } from "../json/defined-fields.ts";
import {
  type Circuit,
  type CircuitHistory,
  type CircuitState,
  type Counts,
  FAILURE_THRESHOLD,
  HALF_OPEN_MAX_CALLS,
  isHoldOver,
  isZero,
  LEASE_MS,
  minus,
  type OperatorAction,
  RECOVERY_TIMEOUT_MS,
  reachesThreshold,
  roundLostAt,
  type StoredState,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { type CircuitWrite, type WriteKind, writeRule } from "./decide.ts";

type After = CircuitState & Partial<CircuitHistory>;
type In<State extends CircuitState["state"]> = CircuitHistory & Extract<CircuitState, { state: State }>;

const isNewFailure = ({ failures }: In<"closed">, { at, id }: CircuitWrite): boolean =>
  (failures.at(-1)?.at ?? 0) <= at && !failures.some((failure) => failure.id === id);

const whenClosed = (circuit: In<"closed">, write: CircuitWrite): After | undefined => {
  const { at, id } = write;
  if (!isNewFailure(circuit, write) || reachesThreshold(circuit.failures, at) !== (write.kind === "trip"))
    return undefined;
  if (write.kind === "trip") {
    return { state: "open", until: at + RECOVERY_TIMEOUT_MS, openings: circuit.openings + 1, lastFailureAt: at };
  }
  const failures = [...circuit.failures, { at, id }].slice(-(FAILURE_THRESHOLD - 1));
  return { state: "closed", failures, lastFailureAt: at };
};

const firstPermit = ({ until }: { until: number }, { at, id }: CircuitWrite): After => ({
  state: "half_open",
  until,
  permits: { [id]: at + LEASE_MS },
  successes: 0,
  leasedUntil: at + LEASE_MS,
});

const whenHalfOpen = (circuit: In<"half_open">, { kind, generation, at, id }: CircuitWrite): After | undefined => {
  const { permits, successes, until } = circuit;
  const taken = Object.keys(permits).length;
  const isAlive = (permits[id] ?? 0) > at;
  switch (kind) {
    case "take_permit":
      if (taken >= HALF_OPEN_MAX_CALLS || permits[id] !== undefined) return undefined;
      return { ...circuit, permits: { ...permits, [id]: at + LEASE_MS }, leasedUntil: at + LEASE_MS };
    case "start_round":
      if (taken < HALF_OPEN_MAX_CALLS || roundLostAt(circuit) > at) return undefined;
      return firstPermit({ until }, { kind, generation, at, id });
    case "count_success":
      if (!isAlive || successes >= SUCCESS_THRESHOLD - 1) return undefined;
      return { ...circuit, permits: { ...permits, [id]: 0 }, successes: successes + 1 };
    case "close":
      if (!isAlive || successes < SUCCESS_THRESHOLD - 1) return undefined;
      return { state: "closed", failures: [], openings: 0 };
    case "reopen":
      if (!isAlive) return undefined;
      return { state: "open", until: at + RECOVERY_TIMEOUT_MS, openings: circuit.openings + 1, lastFailureAt: at };
    case "return_permit": {
      if (permits[id] === undefined) return undefined;
      const { [id]: _returned, ...others } = permits;
      return { ...circuit, permits: others };
    }
    default:
      return undefined;
  }
};

const change = (circuit: Circuit, write: CircuitWrite): After | undefined => {
  switch (circuit.state) {
    case "closed":
      return whenClosed(circuit, write);
    case "half_open":
      return whenHalfOpen(circuit, write);
    case "open":
      return circuit.until <= write.at ? firstPermit(circuit, write) : undefined;
    default:
      if (!isHoldOver(circuit, write.at)) return undefined;
      return {
        state: "closed",
        failures: [{ at: write.at, id: write.id }],
        openings: 0,
        lastFailureAt: write.at,
      };
  }
};

const historyOf = (circuit: Circuit, kind: WriteKind, at: number): CircuitHistory => {
  const { generation, starts, announced, openings, lastFailureAt, baseline } = circuit;
  const { begins } = writeRule(kind);
  const next = generation + 1;
  return {
    announced,
    openings,
    baseline,
    ...definedFields({ lastFailureAt }),
    ...(begins === undefined
      ? { generation, starts }
      : { generation: next, starts: [...starts, { generation: next, to: begins.state, cause: begins.cause, at }] }),
  };
};

/** @returns the circuit afterwards; undefined if the write's condition does not hold and nothing changes. */
export const reduce = (circuit: Circuit, write: CircuitWrite): Circuit | undefined => {
  const applies = circuit.generation === write.generation && writeRule(write.kind).from.includes(circuit.state);
  const after = applies ? change(circuit, write) : undefined;
  return after && { ...historyOf(circuit, write.kind, write.at), ...after };
};

/**
 * An operator's action. `id` identifies the action, so that a resent write counts once. `until`: when the hold ends, in
 * epoch ms; a reset has none. `baseline`: the organization's counts now, which a reset subtracts from then on.
 * `isRepeated`: an earlier attempt may have applied the action; it changes nothing if an action with a greater id, which
 * is a later one, was applied.
 */
export type OperatorWrite = {
  action: OperatorAction;
  at: number;
  id: string;
  by: string;
  reason?: string;
  until?: number;
  baseline: Counts;
  isRepeated?: boolean;
};

export const stateAfter = {
  reset: "closed",
  force_open: "forced_open",
  force_close: "forced_closed",
} as const satisfies Record<OperatorAction, StoredState>;

/** @returns the circuit after an operator's action, which applies in every state. */
export const operate = (circuit: Circuit, write: OperatorWrite): Circuit => {
  const { action, at, by, reason, until, baseline } = write;
  const { starts, announced, lastFailureAt } = circuit;
  const generation = circuit.generation + 1;
  const state = stateAfter[action];
  return {
    ...(state === "closed" ? { state, failures: [] } : { state, ...definedFields({ until }) }),
    generation,
    starts: [...starts, { generation, to: state, cause: action, at, by, ...definedFields({ reason }) }],
    announced,
    openings: 0,
    ...(action !== "reset" && definedFields({ lastFailureAt })),
    baseline: action === "reset" ? baseline : circuit.baseline,
  };
};

/**
 * Whether the action would change nothing: it started the current generation, and for a reset nothing was counted
 * since. Then there is nothing to write or to record.
 * @param counts the organization's counts now.
 */
export const isInForce = (circuit: Circuit, write: OperatorWrite, counts: Counts): boolean => {
  if (circuit.starts.at(-1)?.cause !== write.action) return false;
  if (circuit.state !== "closed") return "until" in circuit ? circuit.until === write.until : write.until === undefined;
  return circuit.failures.length === 0 && isZero(minus(counts, circuit.baseline));
};
