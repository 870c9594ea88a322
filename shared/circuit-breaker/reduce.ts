/**
 * What each write does, as a function. The store's expressions (write-expressions.ts) do the same in DynamoDB; the
 * tests hold the two against each other in every state that the explorer reaches. The in-process breaker runs on this.
 */
import {
  type Circuit,
  type CircuitHistory,
  type CircuitState,
  FAILURE_THRESHOLD,
  FAILURE_WINDOW_MS,
  HALF_OPEN_MAX_CALLS,
  LEASE_MS,
  RECOVERY_TIMEOUT_MS,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { isHoldOver, roundLostAt } from "./effective-state.ts";
import { type CircuitWrite, type WriteKind, writeRule } from "./writes.ts";

type After = CircuitState & Partial<CircuitHistory>;
type In<State extends CircuitState["state"]> = CircuitHistory & Extract<CircuitState, { state: State }>;

const isFull = (circuit: In<"closed">, at: number): boolean => {
  const oldest = circuit.failures.at(-(FAILURE_THRESHOLD - 1));
  return oldest !== undefined && oldest.at > at - FAILURE_WINDOW_MS;
};

const mayCount = ({ failures }: In<"closed">, { at, id }: CircuitWrite): boolean =>
  (failures.at(-1)?.at ?? 0) <= at && !failures.some((failure) => failure.id === id);

const whenClosed = (circuit: In<"closed">, write: CircuitWrite): After | undefined => {
  const { at, id } = write;
  if (!mayCount(circuit, write) || isFull(circuit, at) !== (write.kind === "trip")) return undefined;
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
  const out = Object.keys(permits).length;
  const isAlive = (permits[id] ?? 0) > at;
  switch (kind) {
    case "take_permit":
      if (out >= HALF_OPEN_MAX_CALLS || permits[id] !== undefined) return undefined;
      return { ...circuit, permits: { ...permits, [id]: at + LEASE_MS }, leasedUntil: at + LEASE_MS };
    case "start_round":
      if (out < HALF_OPEN_MAX_CALLS || roundLostAt(circuit) > at) return undefined;
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
    ...(lastFailureAt !== undefined && { lastFailureAt }),
    ...(begins === undefined
      ? { generation, starts }
      : { generation: next, starts: [...starts, { generation: next, to: begins.state, cause: begins.cause, at }] }),
  };
};

/** @returns the circuit afterwards; undefined where the write's condition does not hold, and nothing changes. */
export const reduce = (circuit: Circuit, write: CircuitWrite): Circuit | undefined => {
  const isDue = circuit.generation === write.generation && writeRule(write.kind).from.includes(circuit.state);
  const after = isDue ? change(circuit, write) : undefined;
  return after && { ...historyOf(circuit, write.kind, write.at), ...after };
};
