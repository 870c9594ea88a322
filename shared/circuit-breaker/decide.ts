/** Which write, if any, a call needs before it leaves and after it ended. Pure; what time it is, the caller says. */
import {
  type Circuit,
  FAILURE_THRESHOLD,
  FAILURE_WINDOW_MS,
  HALF_OPEN_MAX_CALLS,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { effectiveState, isHoldOver } from "./effective-state.ts";
import type { CircuitWrite } from "./writes.ts";

/**
 * What an admitted call holds. `generation`: its result counts in no other one. `isProbe`: it holds a permit of a
 * half-open round, named by `id`.
 */
export type Admission = { id: string; generation: number; isProbe: boolean };

/** success: the provider was reached and answered. failure: it was not, or it failed. neutral: nothing was sent. */
export type Outcome = "success" | "failure" | "neutral";

export type AdmissionDecision =
  | { do: "admit"; admission: Admission }
  /** `retryAt` is missing while an operator holds the circuit open. */
  | { do: "refuse"; retryAt?: number }
  /** Admitted if this write succeeds. */
  | { do: "write"; write: CircuitWrite };

/** The permit is ours already where an answer was lost and the write repeated. */
const holdsPermit = (circuit: Circuit, id: string): boolean =>
  circuit.state === "half_open" && circuit.permits[id] !== undefined;

/** @param id names the call; the same through all rounds of deciding. */
export const decideAdmission = (circuit: Circuit, now: number, id: string): AdmissionDecision => {
  const { generation } = circuit;
  if (holdsPermit(circuit, id)) return { do: "admit", admission: { id, generation, isProbe: true } };
  const effective = effectiveState(circuit, now);
  if (effective.state === "closed") return { do: "admit", admission: { id, generation, isProbe: false } };
  if (effective.state === "open" || effective.retryAt !== undefined) {
    return { do: "refuse", ...(effective.retryAt !== undefined && { retryAt: effective.retryAt }) };
  }
  const take = (kind: CircuitWrite["kind"]): AdmissionDecision => ({
    do: "write",
    write: { kind, generation, at: now, id },
  });
  if (circuit.state !== "half_open") return take("take_first_permit");
  return take(Object.keys(circuit.permits).length < HALF_OPEN_MAX_CALLS ? "take_permit" : "start_round");
};

const decideFailure = (circuit: Circuit, { id, generation }: Admission, now: number): CircuitWrite | undefined => {
  if (isHoldOver(circuit, now)) return { kind: "end_hold", generation, at: now, id };
  if (circuit.state !== "closed" || circuit.failures.some((failure) => failure.id === id)) return undefined;
  // A clock behind the last failure's takes its time, so that the stored times stay in order.
  const at = Math.max(now, circuit.failures.at(-1)?.at ?? 0);
  const oldest = circuit.failures.at(-(FAILURE_THRESHOLD - 1));
  const fills = oldest !== undefined && oldest.at > at - FAILURE_WINDOW_MS;
  return { kind: fills ? "trip" : "record_failure", generation, at, id };
};

/**
 * The write that the end of a call needs; undefined where it changes nothing: a success while closed, a result of an
 * older generation, one that counted already, or one whose lease is over.
 */
export const decideResult = (
  circuit: Circuit,
  admission: Admission,
  outcome: Outcome,
  now: number,
): CircuitWrite | undefined => {
  const { id, generation, isProbe } = admission;
  if (circuit.generation !== generation) return undefined;
  if (!isProbe) return outcome === "failure" ? decideFailure(circuit, admission, now) : undefined;
  if (circuit.state !== "half_open") return undefined;
  const lease = circuit.permits[id];
  if (lease === undefined || lease === 0) return undefined;
  if (outcome === "neutral") return { kind: "return_permit", generation, at: now, id };
  if (lease <= now) return undefined;
  if (outcome === "failure") return { kind: "reopen", generation, at: now, id };
  const closes = circuit.successes >= SUCCESS_THRESHOLD - 1;
  return { kind: closes ? "close" : "count_success", generation, at: now, id };
};
