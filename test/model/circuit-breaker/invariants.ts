/**
 * The invariants of every world, in any order of events.
 *
 * I1 at most 3 calls are admitted per half-open round, and a round is replaced only if it is lost.
 * I2 a half-open circuit closes exactly at the second consecutive success of live permits.
 * I3 a circuit opens if and only if 5 failures of one closed generation lie within 60 s, for a full 30 s; no failure
 *    is lost.
 * I4 a result, or a decision, of an older generation changes nothing.
 * I5 no automatic write changes a circuit that an operator holds.
 * I6 no state is final: a new call is admitted after at most lease + 30 s plus the clocks' difference.
 * I7 a repeated write counts once.
 * I8 every transition is announced or stored in the item for announcement.
 * I9 every written item can be read, equals the reducer's result, and has exactly the attributes of its state;
 *    it is in the index only while it is not closed.
 * I10 the item records whether its organization is connected, and its index entry lies in the partition of connected or
 *    of unconnected organizations.
 */
import { deepStrictEqual } from "node:assert";
import {
  type Circuit,
  isHoldOver,
  LEASE_MS,
  newCircuit,
  RECOVERY_TIMEOUT_MS,
  unannounced,
} from "../../../shared/circuit-breaker/circuit.ts";
import { parseCircuit } from "../../../shared/circuit-breaker/circuit-item.ts";
import { indexShard } from "../../../shared/circuit-breaker/circuit-keys.ts";
import {
  type Admission,
  type CircuitWrite,
  decideAdmission,
  type Outcome,
  writeRule,
} from "../../../shared/circuit-breaker/decide.ts";
import { type OperatorWrite, operate, reduce } from "../../../shared/circuit-breaker/reduce.ts";
import { type Expressions, holds, type Item } from "../../support/expressions.ts";
import { organizationId, type Truth } from "./world.ts";

export type Invariant = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "I10";

/** `trace`: the steps in order. */
export type Finding = { invariant: Invariant; message: string; trace: string[] };

export class Violation extends Error {
  readonly invariant: Invariant;
  constructor(invariant: Invariant, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

const must = (invariant: Invariant, isTrue: boolean, what: string): void => {
  if (!isTrue) throw new Violation(invariant, what);
};

/** Numbers of the specification, not the product's constants, which may be wrong. */
const WINDOW = 60_000;
const OPEN_TIME = 30_000;
const LOST_AFTER = 30_000;
const MAX_SKEW = 40_000;

const marks = ["id", "organizationId", "openShard", "heldShard"];
const always = [
  ...marks,
  "state",
  "generation",
  "starts",
  "announced",
  "lastFailureAt",
  "baseline",
  "operatorActionId",
];
const attributes: Record<Circuit["state"], readonly string[]> = {
  closed: [1, 2, 3, 4].flatMap((slot) => [`failedAt${slot}`, `failedCall${slot}`]),
  open: ["ou", "openings", "sh"],
  half_open: ["ou", "openings", "sh", "permits", "successes", "leasedUntil"],
  forced_open: ["ou", "sh"],
  forced_closed: ["ou"],
};

const parsed = new WeakMap<Item, Circuit>();

/** @throws Violation if the item cannot be read */
export const circuitOf = (item: Item | null): Circuit => {
  if (item === null) return newCircuit;
  const known = parsed.get(item);
  if (known) return known;
  try {
    const isMarkOnly = item.state === undefined;
    const circuit = isMarkOnly ? newCircuit : parseCircuit(item);
    const allowed = isMarkOnly ? marks : [...always, ...attributes[circuit.state]];
    const surplus = Object.keys(item).filter((name) => !allowed.includes(name));
    must("I9", surplus.length === 0, `${surplus} left over when ${circuit.state}`);
    must("I9", item.organizationId === organizationId, "an item without its organization's id");
    const shards = item.openShard === undefined ? ["u", "uf"] : [indexShard(organizationId), "f"];
    const place = "sh" in item ? shards[circuit.state === "forced_open" ? 1 : 0] : undefined;
    must("I10", item.sh === place, `an entry in ${item.sh} rather than in ${place}`);
    parsed.set(item, circuit);
    return circuit;
  } catch (error) {
    if (error instanceof Violation) throw error;
    throw new Violation("I9", `an item that cannot be read: ${(error as Error).message}`);
  }
};

const freshTruth = (truth: Truth): Truth => ({ ...truth, failures: [], admitted: [], succeeded: [], leases: {} });

const afterFailure = (truth: Truth, { kind, at, id }: CircuitWrite): Truth => {
  must("I7", !truth.failures.some((failure) => failure.id === id), `the failure of ${id} counts twice`);
  const within = truth.failures.filter((failure) => failure.at > at - WINDOW).length;
  must("I3", (truth.failures.at(-1)?.at ?? 0) <= at, "the times of failures are out of order");
  if (kind === "record_failure") {
    must("I3", within < 4, "the fifth failure in 60 s was merely recorded");
    return { ...truth, failures: [...truth.failures, { at, id }].slice(-6) };
  }
  must("I3", within >= 4, `opened after ${within + 1} failures in 60 s`);
  return { ...freshTruth(truth), openUntil: at + OPEN_TIME };
};

const afterPermit = (truth: Truth, { kind, at, id }: CircuitWrite, lease: number): Truth => {
  if (kind === "take_first_permit") must("I3", truth.openUntil <= at, "half-open before 30 s were over");
  if (kind === "start_round") {
    must("I1", truth.admitted.length >= 3, "a round was replaced while it had permits left");
    must("I1", truth.lastLease + LOST_AFTER <= at, "a round was replaced before it was lost");
  }
  const base = kind === "take_permit" ? truth : freshTruth(truth);
  const admitted = base.admitted.includes(id) ? base.admitted : [...base.admitted, id];
  must("I1", admitted.length <= 3, "a fourth call was admitted to a round");
  return { ...base, admitted, leases: { ...base.leases, [id]: lease }, lastLease: lease };
};

const afterVerdict = (truth: Truth, { kind, at, id }: CircuitWrite, outcome: Outcome | undefined): Truth => {
  const isAlive = (truth.leases[id] ?? 0) > at && truth.admitted.includes(id);
  if (kind === "return_permit") {
    const { [id]: _lease, ...leases } = truth.leases;
    must("I2", outcome === "neutral", "a permit was returned that was used");
    must("I2", truth.admitted.includes(id), "a permit was returned that no call held");
    return { ...truth, admitted: truth.admitted.filter((one) => one !== id), leases };
  }
  must("I2", isAlive, `the permit of ${id} was dead`);
  must("I7", !truth.succeeded.includes(id), `the result of ${id} counts twice`);
  if (kind === "reopen") {
    must("I2", outcome === "failure", "opened again without a failure");
    return { ...freshTruth(truth), openUntil: at + OPEN_TIME };
  }
  must("I2", outcome === "success", "a success that was none");
  const enough = truth.succeeded.length + 1 >= 2;
  must("I2", enough === (kind === "close"), enough ? "two successes did not close" : "closed after one success");
  return kind === "close" ? freshTruth(truth) : { ...truth, succeeded: [...truth.succeeded, id] };
};

/** The truth after an automatic write took effect. */
export const afterWrite = (
  truth: Truth,
  write: CircuitWrite,
  context: { before: Circuit; after: Circuit; admission?: Admission; outcome?: Outcome },
): Truth => {
  const { before, after, admission, outcome } = context;
  must("I4", before.generation === write.generation, `decided on ${write.generation}, changed ${before.generation}`);
  if (admission) must("I4", before.generation === admission.generation, "a result of an older generation counted");
  const isHeld = before.state === "forced_open" || before.state === "forced_closed";
  must("I5", !isHeld || isHoldOver(before, write.at), "an automatic write undid an operator's");
  const { from, begins } = writeRule(write.kind);
  must("I4", from.includes(before.state), `${write.kind} changed a circuit that was ${before.state}`);
  must("I4", after.generation === before.generation + (begins === undefined ? 0 : 1), "the generation is wrong");
  switch (write.kind) {
    case "record_failure":
    case "trip":
      return afterFailure(truth, write);
    case "end_hold":
      return { ...freshTruth(truth), failures: [{ at: write.at, id: write.id }] };
    case "take_first_permit":
    case "take_permit":
    case "start_round":
      return afterPermit(truth, write, write.at + LEASE_MS);
    default:
      return afterVerdict(truth, write, outcome);
  }
};

/** The truth after an operator's command took effect. */
export const afterCommand = (truth: Truth, write: OperatorWrite, before: Circuit, after: Circuit): Truth => {
  must("I7", !truth.operated.includes(write.id), "a command took effect twice");
  const { starts, ...expected } = operate(before, write);
  const { starts: _starts, ...actual } = after;
  must("I5", starts.length === after.starts.length, "a command left no trace");
  must("I5", isSame(actual, expected), "an operator's command had a wrong effect");
  return { ...freshTruth(truth), operated: [...truth.operated, write.id] };
};

const isSame = (a: unknown, b: unknown): boolean => {
  try {
    deepStrictEqual(a, b);
    return true;
  } catch {
    return false;
  }
};

/**
 * I9: the item equals the result of the pure reducer.
 * @param isStrict also checks which writes were refused. Not for mutants: other invariants must find their missing
 *   guards.
 */
export const agreesWithReducer = (
  before: Circuit,
  write: CircuitWrite,
  after: Circuit | undefined,
  isStrict: boolean,
): void => {
  const expected = reduce(before, write);
  if (!isStrict && (expected === undefined || after === undefined)) return;
  must("I9", isSame(expected, after), `reduce.ts does not say the same of ${write.kind}`);
};

/** I6: a write decided on the current item must be accepted, or its caller would retry forever. */
export const notRefusedInVain = (applied: boolean, { isCurrent, kind }: { isCurrent: boolean; kind: string }): void =>
  must("I6", applied || !isCurrent, `${kind} is refused, though nothing has changed`);

/** I3 and I2: a result of the current generation that was not written. */
export const nothingLost = (
  truth: Truth,
  item: Item | null,
  end: { admission: Admission; outcome: Outcome; now: number; mayBeLost: boolean },
): void => {
  const { admission, outcome, now, mayBeLost } = end;
  const circuit = circuitOf(item);
  if (circuit.generation !== admission.generation || mayBeLost) return;
  const { id, isProbe } = admission;
  if (!isProbe && outcome === "failure" && circuit.state === "closed") {
    must(
      "I3",
      truth.failures.some((failure) => failure.id === id),
      `the failure of ${id} was lost`,
    );
  }
  if (isProbe && outcome === "success" && (truth.leases[id] ?? 0) > now) {
    must("I2", truth.succeeded.includes(id), `the success of ${id} was lost`);
  }
};

/** I9: connecting and disconnecting change nothing of the circuit. */
export const leavesTheCircuit = (before: Circuit, after: Circuit): void =>
  must("I9", isSame(before, after), "a connection changed the circuit");

/** I10: the item is marked as the count of connections has it. */
export const isMarkedAsConnected = ({ isConnected }: Truth, item: Item | null): void => {
  const marks = isConnected ? [indexShard(organizationId), "f"] : [undefined, undefined];
  must(
    "I10",
    isSame([item?.openShard, item?.heldShard], marks),
    `the item says ${item?.openShard}, ${item?.heldShard} rather than ${marks}`,
  );
};

/** I8: every transition is announced, or the next reader announces it. */
export const nothingUntold = (truth: Truth, item: Item | null): void => {
  const circuit = circuitOf(item);
  const waiting = unannounced(organizationId, circuit).map(({ generation }) => generation);
  for (let generation = 1; generation <= circuit.generation; generation++) {
    const isKnown = truth.announced.includes(generation) || waiting.includes(generation);
    must("I8", isKnown, `generation ${generation} will never be announced`);
  }
};

/** I8: announced transitions are marked and no longer stored. */
export const isMarked = (item: Item, upTo: number): void => {
  const { announced, starts } = circuitOf(item);
  must("I8", announced >= upTo, "a transition would be announced for ever");
  must(
    "I8",
    starts.every(({ generation }) => generation >= upTo),
    "what was announced is kept",
  );
};

/** I6: if all other callers stop here, a new call is admitted eventually. */
export const hasWayOut = (
  item: Item | null,
  now: number,
  expressionsOf: (write: CircuitWrite) => Expressions,
): void => {
  const circuit = circuitOf(item);
  const later = now + LEASE_MS + Math.max(LOST_AFTER, RECOVERY_TIMEOUT_MS) + 2 * MAX_SKEW;
  if (circuit.state === "forced_open" && (circuit.until === undefined || circuit.until > later)) return;
  const decision = decideAdmission(circuit, later, "fresh");
  must("I6", decision.do !== "refuse", `${circuit.state} refuses for ever`);
  if (decision.do !== "write") return;
  must("I6", holds(expressionsOf(decision.write), item ?? undefined), `no caller can leave ${circuit.state}`);
};
