/** What an operator's action makes of a circuit, whatever it was before. Spec: POST circuit-breaker. */
import type { Circuit, Counts, OperatorAction, StoredState } from "./circuit.ts";

/**
 * `at` and `until` in ms; `until` holds no longer than that (reset takes none). `id` names the action, so that a
 * repeated write counts once. `baseline`: the organization's counts so far, which a reset leaves behind.
 */
export type OperatorWrite = {
  action: OperatorAction;
  at: number;
  id: string;
  by: string;
  reason?: string;
  until?: number;
  baseline: Counts;
};

export const stateAfter = {
  reset: "closed",
  force_open: "forced_open",
  force_close: "forced_closed",
} as const satisfies Record<OperatorAction, StoredState>;

/** The circuit afterwards. An operator's action has no condition. */
export const operate = (circuit: Circuit, write: OperatorWrite): Circuit => {
  const { action, at, by, reason, until, baseline } = write;
  const { starts, announced, lastFailureAt } = circuit;
  const generation = circuit.generation + 1;
  const state = stateAfter[action];
  return {
    ...(state === "closed" ? { state, failures: [] } : { state, ...(until !== undefined && { until }) }),
    generation,
    starts: [...starts, { generation, to: state, cause: action, at, by, ...(reason !== undefined && { reason }) }],
    announced,
    openings: 0,
    ...(action !== "reset" && lastFailureAt !== undefined && { lastFailureAt }),
    baseline: action === "reset" ? baseline : circuit.baseline,
  };
};

/**
 * Whether the action would change nothing: it is the one that the circuit's generation began with, and for a reset
 * nothing has happened since. Then there is nothing to write, and nothing to record.
 * @param counts the organization's counts now.
 */
export const isDone = (circuit: Circuit, write: OperatorWrite, counts: Counts): boolean => {
  if (circuit.starts.at(-1)?.cause !== write.action) return false;
  if (circuit.state !== "closed") return "until" in circuit ? circuit.until === write.until : write.until === undefined;
  const { total, failed, rejected } = circuit.baseline;
  const isAtBaseline = counts.total === total && counts.failed === failed && counts.rejected === rejected;
  return circuit.failures.length === 0 && isAtBaseline;
};
