/**
 * Every automatic change of a circuit as one DynamoDB UpdateItem. Its condition is the guard that reduce.ts states in TypeScript;
 * assignments read the item as it was before. `#name` is the attribute `name` (circuit-item.ts), `#shard` is `sh`, and `#until` is `ou`. Pure: no SDK.
 */
import { definedFields } from "../json/defined-fields.ts";
import {
  FAILURE_WINDOW_MS,
  type GenerationStart,
  HALF_OPEN_MAX_CALLS,
  LEASE_MS,
  LOST_ROUND_MS,
  RECOVERY_TIMEOUT_MS,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { indexAttributes, UNCONNECTED_SHARD } from "./circuit-keys.ts";
import { type CircuitWrite, type WriteKind, writeRule } from "./decide.ts";

/** The parameters of an UpdateItem besides its table and key. */
export type UpdateExpressions = {
  ConditionExpression: string;
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Record<string, unknown>;
};

/** `only`: conditions, all of which must hold. */
type Clauses = { only: readonly string[]; set: readonly string[]; remove?: readonly string[] };

/**
 * @param values by their name in the clauses. Unused values are left out, because DynamoDB rejects them.
 * @param names attributes whose name is not the one in the clauses, besides those of the index.
 */
export const updateExpressions = (
  { only, set, remove = [] }: Clauses,
  values: Record<string, unknown>,
  names: Record<string, string> = {},
): UpdateExpressions => {
  const ConditionExpression = only.join(" AND ");
  const UpdateExpression = [
    ...(set.length > 0 ? [`SET ${set.join(", ")}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.join(", ")}`] : []),
  ].join(" ");
  const attributes: Record<string, string> = { ...indexAttributes, ...names };
  const used = (pattern: RegExp) => [...new Set(`${ConditionExpression} ${UpdateExpression}`.match(pattern))];
  return {
    ConditionExpression,
    UpdateExpression,
    ExpressionAttributeNames: Object.fromEntries(
      used(/#\w+/g).map((name) => [name, attributes[name] ?? name.slice(1)]),
    ),
    ExpressionAttributeValues: Object.fromEntries(used(/:\w+/g).map((name) => [name, values[name]])),
  };
};

/** The attributes that hold the last failures. */
export const failureSlots = [1, 2, 3, 4].flatMap((slot) => [`#failedAt${slot}`, `#failedCall${slot}`]);

const isNewFailure = "NOT (#failedCall1 = :id OR #failedCall2 = :id OR #failedCall3 = :id OR #failedCall4 = :id)";
const leaseIsAlive = "#permits.#permit > :at";
const countOpening = "#openings = if_not_exists(#openings, :zero) + :one";
export const appendStart = "#starts = list_append(if_not_exists(#starts, :none), :start)";

/** The clauses of each write, besides those for generation, state and start, which `writeExpressions` adds. */
const clausesOf: Record<WriteKind, Clauses> = {
  record_failure: {
    only: [
      "(attribute_not_exists(#failedAt1) OR #failedAt1 <= :windowStart)",
      "(attribute_not_exists(#failedAt4) OR #failedAt4 <= :at)",
      isNewFailure,
    ],
    set: [
      "#organizationId = :organizationId",
      "#state = :state",
      "#generation = :generation",
      "#failedAt1 = if_not_exists(#failedAt2, :zero)",
      "#failedAt2 = if_not_exists(#failedAt3, :zero)",
      "#failedAt3 = if_not_exists(#failedAt4, :zero)",
      "#failedAt4 = :at",
      "#failedCall1 = if_not_exists(#failedCall2, :empty)",
      "#failedCall2 = if_not_exists(#failedCall3, :empty)",
      "#failedCall3 = if_not_exists(#failedCall4, :empty)",
      "#failedCall4 = :id",
      "#lastFailureAt = :at",
    ],
  },
  trip: {
    only: ["#failedAt1 > :windowStart", "#failedAt4 <= :at", isNewFailure],
    set: [
      "#until = :openUntil",
      countOpening,
      "#lastFailureAt = :at",
      "#shard = if_not_exists(#openShard, :unconnected)",
    ],
    remove: failureSlots,
  },
  take_first_permit: {
    only: ["#until <= :at"],
    set: ["#permits = :permits", "#successes = :zero", "#leasedUntil = :lease"],
  },
  take_permit: {
    // Without the second condition, a late copy of this request would renew a permit that is already used.
    only: ["size(#permits) < :maxCalls", "attribute_not_exists(#permits.#permit)"],
    set: ["#permits.#permit = :lease", "#leasedUntil = :lease"],
  },
  start_round: {
    only: ["size(#permits) >= :maxCalls", "#leasedUntil <= :lostSince"],
    set: ["#permits = :permits", "#successes = :zero", "#leasedUntil = :lease"],
  },
  count_success: {
    only: [leaseIsAlive, "#successes < :enough"],
    set: ["#permits.#permit = :zero", "#successes = #successes + :one"],
  },
  close: {
    only: [leaseIsAlive, "#successes >= :enough"],
    set: [],
    remove: ["#permits", "#successes", "#leasedUntil", "#until", "#openings", "#shard"],
  },
  reopen: {
    only: [leaseIsAlive],
    set: ["#until = :openUntil", countOpening, "#lastFailureAt = :at"],
    remove: ["#permits", "#successes", "#leasedUntil"],
  },
  return_permit: {
    only: ["attribute_exists(#permits.#permit)"],
    set: [],
    remove: ["#permits.#permit"],
  },
  end_hold: {
    only: ["#until <= :at"],
    set: ["#failedAt4 = :at", "#failedCall4 = :id", "#lastFailureAt = :at"],
    remove: ["#until", "#shard"],
  },
};

/** The start as an element of `starts`. */
export const startItem = ({ to, cause, at, by, reason }: Omit<GenerationStart, "generation">) => ({
  to,
  cause,
  at,
  ...definedFields({ by, reason }),
});

/** The update of one automatic change. It applies only to the generation it was decided upon. */
export const writeExpressions = (organizationId: string, write: CircuitWrite): UpdateExpressions => {
  const { kind, generation, at, id } = write;
  const { from, begins } = writeRule(kind);
  const lease = at + LEASE_MS;
  const isState = from.length === 1 ? "#state = :state" : "#state IN (:state, :otherState)";
  const isSameGeneration =
    generation === 0
      ? ["(attribute_not_exists(#generation) OR #generation = :generation)"]
      : [isState, "#generation = :generation"];
  const begin = begins ? ["#state = :begins", "#generation = #generation + :one", appendStart] : [];
  const { only, set, remove = [] } = clausesOf[kind];
  const values = {
    ":organizationId": organizationId,
    ":generation": generation,
    ":state": from[0],
    ":otherState": from[1],
    ":begins": begins?.state,
    ":start": begins && [startItem({ to: begins.state, cause: begins.cause, at })],
    ":none": [],
    ":at": at,
    ":id": id,
    ":empty": "",
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
  };
  return updateExpressions({ only: [...isSameGeneration, ...only], set: [...begin, ...set], remove }, values, {
    "#permit": id,
  });
};
