/**
 * Which write a call needs before it is sent and after it has ended, and the retry when another write came first. Pure
 * except for the store, which is an argument.
 */
import type { Clock } from "../runtime/clock.ts";
import {
  type Cause,
  type Circuit,
  effectiveState,
  HALF_OPEN_MAX_CALLS,
  isHoldOver,
  reachesThreshold,
  type StoredState,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";

type WriteRule = {
  /** The states in which the write applies. */
  from: readonly StoredState[];
  /** Present if the write starts a new generation. */
  begins?: { state: StoredState; cause: Cause };
};

/**
 * Every automatic change of a circuit. Each is one conditional write: reduce.ts carries it out in memory, and
 * circuit-updates.ts in DynamoDB.
 */
const writeRules = {
  /** A failure below the threshold. */
  record_failure: { from: ["closed"] },
  /** The failure that reaches the threshold. */
  trip: { from: ["closed"], begins: { state: "open", cause: "failures" } },
  /** The first call after the open time. */
  take_first_permit: { from: ["open"], begins: { state: "half_open", cause: "recovery_timeout" } },
  /** Another call of the round. */
  take_permit: { from: ["half_open"] },
  /** The first call of a new round: the calls of the previous round are lost. */
  start_round: { from: ["half_open"], begins: { state: "half_open", cause: "probes_lost" } },
  /** A success below the threshold. */
  count_success: { from: ["half_open"] },
  /** The success that reaches the threshold. */
  close: { from: ["half_open"], begins: { state: "closed", cause: "probes_succeeded" } },
  /** A failed probe. */
  reopen: { from: ["half_open"], begins: { state: "open", cause: "probe_failed" } },
  /** The call was not sent: another call may take its permit. */
  return_permit: { from: ["half_open"] },
  /** The first failure after an operator's hold ended. */
  end_hold: { from: ["forced_open", "forced_closed"], begins: { state: "closed", cause: "until_passed" } },
} as const satisfies Record<string, WriteRule>;

export type WriteKind = keyof typeof writeRules;
export const writeKinds = Object.keys(writeRules) as WriteKind[];

/** The rule of a kind, with the optional field that the literal types hide. */
export const writeRule = (kind: WriteKind): WriteRule => writeRules[kind];

/**
 * A change to write. It applies only to `generation`, the generation it was decided upon. `at`: the caller's time in
 * epoch ms; for a failure never before the last stored failure. `id`: the id of the call.
 */
export type CircuitWrite = { kind: WriteKind; generation: number; at: number; id: string };

/**
 * An admitted call. Its result counts only in `generation`. `isProbe`: the call holds a permit of a half-open round
 * under its `id`.
 */
export type Admission = { id: string; generation: number; isProbe: boolean };

/** success: the provider answered. failure: the provider failed or did not answer. neutral: nothing was sent. */
export type Outcome = "success" | "failure" | "neutral";

export type AdmissionAnswer =
  | { do: "admit"; admission: Admission }
  /** `retryAt` is absent while an operator holds the circuit open. */
  | { do: "refuse"; retryAt?: number };

/** `write`: the call is admitted if this write is applied. */
type AdmissionDecision = AdmissionAnswer | { do: "write"; write: CircuitWrite };

/** @param id the id of the call, the same in every retry. */
export const decideAdmission = (circuit: Circuit, now: number, id: string): AdmissionDecision => {
  const { generation } = circuit;
  // The write that took the permit was applied, and its answer was lost.
  const holdsPermit = circuit.state === "half_open" && circuit.permits[id] !== undefined;
  if (holdsPermit) return { do: "admit", admission: { id, generation, isProbe: true } };
  const effective = effectiveState(circuit, now);
  if (effective.state === "closed") return { do: "admit", admission: { id, generation, isProbe: false } };
  const { retryAt } = effective;
  if (retryAt !== undefined) return { do: "refuse", retryAt };
  if (effective.state === "open") return { do: "refuse" };
  const take = (kind: WriteKind): AdmissionDecision => ({ do: "write", write: { kind, generation, at: now, id } });
  if (circuit.state !== "half_open") return take("take_first_permit");
  return take(Object.keys(circuit.permits).length < HALF_OPEN_MAX_CALLS ? "take_permit" : "start_round");
};

const decideFailure = (circuit: Circuit, { id, generation }: Admission, now: number): CircuitWrite | undefined => {
  if (isHoldOver(circuit, now)) return { kind: "end_hold", generation, at: now, id };
  if (circuit.state !== "closed" || circuit.failures.some((failure) => failure.id === id)) return undefined;
  // If this clock is behind the last failure, take that failure's time: stored times stay in order.
  const at = Math.max(now, circuit.failures.at(-1)?.at ?? 0);
  return { kind: reachesThreshold(circuit.failures, at) ? "trip" : "record_failure", generation, at, id };
};

/**
 * The write that a call's end needs. Undefined if the result changes nothing: a success while closed, a result of an
 * older generation, a result that is already counted, or a result after the lease has expired.
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

/** `circuit`: the circuit afterwards, changed or not. `isRepeat`: an earlier attempt of this write may be applied. */
export type WriteAnswer = { applied: boolean; circuit: Circuit; isRepeat: boolean };

/** The circuits in the store, or those of this process (circuit-access.ts). A throw means: the store failed. */
export type Circuits = {
  read(organizationId: string): Promise<Circuit>;
  write(organizationId: string, write: CircuitWrite): Promise<WriteAnswer>;
};

/** The window has four slots and a round three permits, so no caller loses more conflicts in one generation. */
const MAX_ATTEMPTS = 8;

/** A call that has lost every conflict is refused and may come again after this time. */
const CONFLICT_RETRY_MS = 1_000;

/**
 * Whether to give up a failure that could not be written: one of its attempts may have been applied, and the failure
 * may have left the window since. A failure must count at most once. The circuit itself shows every other write.
 */
export const isLost = (write: CircuitWrite, { isRepeat, circuit }: WriteAnswer): boolean =>
  isRepeat &&
  write.kind === "record_failure" &&
  !(circuit.state === "closed" && circuit.failures.some(({ id }) => id === write.id));

/**
 * Admits or refuses a call. If another write comes first, the answer holds the new circuit: decide again.
 * @param circuit the last known state; it may be old, because every write is conditional.
 */
export const admit = async (
  circuits: Circuits,
  { organizationId, circuit, id, clock }: { organizationId: string; circuit: Circuit; id: string; clock: Clock },
): Promise<AdmissionAnswer> => {
  let latest = circuit;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const decision = decideAdmission(latest, clock(), id);
    if (decision.do !== "write") return decision;
    ({ circuit: latest } = await circuits.write(organizationId, decision.write));
  }
  return { do: "refuse", retryAt: clock() + CONFLICT_RETRY_MS };
};

/** Writes the result of an admitted call to the circuit, if it changes anything. */
export const report = async (
  circuits: Circuits,
  result: { organizationId: string; circuit: Circuit; admission: Admission; outcome: Outcome; clock: Clock },
): Promise<void> => {
  const { organizationId, admission, outcome, clock } = result;
  let latest = result.circuit;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const write = decideResult(latest, admission, outcome, clock());
    if (write === undefined) return;
    const answer = await circuits.write(organizationId, write);
    if (answer.applied || isLost(write, answer)) return;
    latest = answer.circuit;
  }
};
