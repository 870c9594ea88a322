/**
 * Every change of a circuit as DynamoDB carries it out: one UpdateItem, whose condition is the guard that reduce.ts
 * states in TypeScript. All assignments read the item as it was before. Pure: texts and values, no SDK.
 */
import {
  FAILURE_WINDOW_MS,
  HALF_OPEN_MAX_CALLS,
  LEASE_MS,
  LOST_ROUND_MS,
  RECOVERY_TIMEOUT_MS,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { startItem } from "./circuit-item.ts";
import { UNCONNECTED_SHARD } from "./circuit-keys.ts";
import { assemble, type Parts, type UpdateExpressions, window } from "./update-expressions.ts";
import { type CircuitWrite, type WriteKind, writeRule } from "./writes.ts";

const isNewFailure = "NOT (#j1 = :id OR #j2 = :id OR #j3 = :id OR #j4 = :id)";
const leaseIsAlive = "#pm.#id > :at";

/** Condition and assignments of each kind, besides generation, state and the record of a beginning (below). */
const parts: Record<WriteKind, Parts> = {
  record_failure: {
    only: [
      "(attribute_not_exists(#f1) OR #f1 <= :windowStart)",
      "(attribute_not_exists(#f4) OR #f4 <= :at)",
      isNewFailure,
    ],
    set: [
      "#o = :organization",
      "#st = :state",
      "#gen = :generation",
      "#f1 = if_not_exists(#f2, :zero)",
      "#f2 = if_not_exists(#f3, :zero)",
      "#f3 = if_not_exists(#f4, :zero)",
      "#f4 = :at",
      "#j1 = if_not_exists(#j2, :nobody)",
      "#j2 = if_not_exists(#j3, :nobody)",
      "#j3 = if_not_exists(#j4, :nobody)",
      "#j4 = :id",
      "#lf = :at",
    ],
  },
  trip: {
    only: ["#f1 > :windowStart", "#f4 <= :at", isNewFailure],
    set: [
      "#ou = :openUntil",
      "#oc = if_not_exists(#oc, :zero) + :one",
      "#lf = :at",
      "#sh = if_not_exists(#cs, :unconnected)",
    ],
    remove: window,
  },
  take_first_permit: {
    only: ["#ou <= :at"],
    set: ["#pm = :permits", "#hs = :zero", "#hu = :lease"],
  },
  take_permit: {
    // A copy of the request that comes late must not bring a used permit back to life.
    only: ["size(#pm) < :maxCalls", "attribute_not_exists(#pm.#id)"],
    set: ["#pm.#id = :lease", "#hu = :lease"],
  },
  start_round: {
    only: ["size(#pm) >= :maxCalls", "#hu <= :lostSince"],
    set: ["#pm = :permits", "#hs = :zero", "#hu = :lease"],
  },
  count_success: {
    only: [leaseIsAlive, "#hs < :enough"],
    set: ["#pm.#id = :zero", "#hs = #hs + :one"],
  },
  close: {
    only: [leaseIsAlive, "#hs >= :enough"],
    set: [],
    remove: ["#pm", "#hs", "#hu", "#ou", "#oc", "#sh"],
  },
  reopen: {
    only: [leaseIsAlive],
    set: ["#ou = :openUntil", "#oc = if_not_exists(#oc, :zero) + :one", "#lf = :at"],
    remove: ["#pm", "#hs", "#hu"],
  },
  return_permit: {
    only: ["attribute_exists(#pm.#id)"],
    set: [],
    remove: ["#pm.#id"],
  },
  end_hold: {
    only: ["#ou <= :at"],
    set: ["#f4 = :at", "#j4 = :id", "#lf = :at"],
    remove: ["#ou", "#sh"],
  },
};

const begin = ["#st = :begins", "#gen = #gen + :one", "#tr = list_append(if_not_exists(#tr, :none), :start)"];

/** The update of one automatic change. It changes only the generation that it was decided upon. */
export const writeExpressions = (organizationId: string, write: CircuitWrite): UpdateExpressions => {
  const { kind, generation, at, id } = write;
  const { from, begins } = writeRule(kind);
  const lease = at + LEASE_MS;
  const isState = from.length === 1 ? "#st = :state" : "#st IN (:state, :otherState)";
  const same =
    generation === 0 ? ["(attribute_not_exists(#gen) OR #gen = :generation)"] : [isState, "#gen = :generation"];
  const { only, set, remove = [] } = parts[kind];
  return assemble(
    { only: [...same, ...only], set: [...(begins ? begin : []), ...set], remove },
    { "#id": id },
    {
      ":organization": organizationId,
      ":generation": generation,
      ":state": from[0],
      ":otherState": from[1],
      ":begins": begins?.state,
      ":start": begins && [startItem({ to: begins.state, cause: begins.cause, at })],
      ":none": [],
      ":at": at,
      ":id": id,
      ":nobody": "",
      ":zero": 0,
      ":one": 1,
      ":windowStart": at - FAILURE_WINDOW_MS,
      ":openUntil": at + RECOVERY_TIMEOUT_MS,
      ":unconnected": UNCONNECTED_SHARD,
      ":lease": lease,
      ":permits": { [id]: lease },
      ":maxCalls": HALF_OPEN_MAX_CALLS,
      ":lostSince": at - LOST_ROUND_MS,
      ":enough": SUCCESS_THRESHOLD - 1,
    },
  );
};
