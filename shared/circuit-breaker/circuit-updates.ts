/**
 * Every automatic change of a circuit as one conditional update of its item. The condition is the guard that reduce.ts
 * states in TypeScript; assignments read the item as it was before. `#name` is the attribute `name` (circuit-item.ts),
 * `#shard` is `sh`, and `#until` is `ou`. Pure: no SDK.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Update } from "../runtime/table.ts";
import {
  FAILURE_WINDOW_MS,
  type GenerationStart,
  HALF_OPEN_MAX_CALLS,
  LEASE_MS,
  LOST_ROUND_MS,
  RECOVERY_TIMEOUT_MS,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { indexNames, UNCONNECTED_SHARD } from "./circuit-keys.ts";
import { type CircuitWrite, type WriteKind, writeRule } from "./decide.ts";

/** The attributes that hold the last failures. */
export const failureSlots = [1, 2, 3, 4].flatMap((slot) => [`failedAt${slot}`, `failedCall${slot}`]);

const isNewFailure = "NOT (#failedCall1 = :id OR #failedCall2 = :id OR #failedCall3 = :id OR #failedCall4 = :id)";
const isInOrder = "(attribute_not_exists(#failedAt4) OR #failedAt4 <= :at)";
const isBelowThreshold = "(attribute_not_exists(#failedAt1) OR #failedAt1 <= :windowStart)";
const leaseIsAlive = "#permits.#permit > :at";
const roundIsFull = "size(#permits) >= :maxCalls";

/** Drops the oldest of the last four failures. */
const shiftFailures = [
  "#failedAt1 = if_not_exists(#failedAt2, :zero)",
  "#failedAt2 = if_not_exists(#failedAt3, :zero)",
  "#failedAt3 = if_not_exists(#failedAt4, :zero)",
  "#failedCall1 = if_not_exists(#failedCall2, :empty)",
  "#failedCall2 = if_not_exists(#failedCall3, :empty)",
  "#failedCall3 = if_not_exists(#failedCall4, :empty)",
].join(", ");
const countOpening = "#openings = if_not_exists(#openings, :zero) + :one";

/** What a generation that begins adds to `starts`. */
export const appendStart = "#starts = list_append(if_not_exists(#starts, :none), :start)";
export const startValues = ({ to, cause, at, by, reason }: Omit<GenerationStart, "generation">) => ({
  none: [],
  start: [{ to, cause, at, ...definedFields({ by, reason }) }],
});

/** A round of probes begins with its first permit. */
const firstPermit = ({ at, id }: CircuitWrite) => ({
  permits: { [id]: at + LEASE_MS },
  successes: 0,
  leasedUntil: at + LEASE_MS,
});

const permitAttributes = ["permits", "successes", "leasedUntil"];

/** Each write in addition to its conditions on generation and state, and to the start of a generation. */
const changes: Record<WriteKind, (write: CircuitWrite, organizationId: string) => Update & { condition: string }> = {
  record_failure: ({ at, id, generation }, organizationId) => ({
    set: { organizationId, state: "closed", generation, failedAt4: at, failedCall4: id, lastFailureAt: at },
    also: shiftFailures,
    condition: `${isBelowThreshold} AND ${isInOrder} AND ${isNewFailure}`,
    values: { zero: 0, empty: "", windowStart: at - FAILURE_WINDOW_MS, at, id },
  }),
  trip: ({ at, id }) => ({
    set: { until: at + RECOVERY_TIMEOUT_MS, lastFailureAt: at },
    also: `${countOpening}, #shard = if_not_exists(#openShard, :unconnected)`,
    remove: failureSlots,
    condition: `#failedAt1 > :windowStart AND #failedAt4 <= :at AND ${isNewFailure}`,
    values: { zero: 0, one: 1, unconnected: UNCONNECTED_SHARD, windowStart: at - FAILURE_WINDOW_MS, at, id },
  }),
  take_first_permit: (write) => ({
    set: firstPermit(write),
    condition: "#until <= :at",
    values: { at: write.at },
  }),
  take_permit: ({ at }) => ({
    set: { leasedUntil: at + LEASE_MS },
    also: "#permits.#permit = :lease",
    // Without the second condition, a late copy of this request would renew a permit that is already used.
    condition: "size(#permits) < :maxCalls AND attribute_not_exists(#permits.#permit)",
    values: { lease: at + LEASE_MS, maxCalls: HALF_OPEN_MAX_CALLS },
  }),
  start_round: (write) => ({
    set: firstPermit(write),
    condition: `${roundIsFull} AND #leasedUntil <= :lostSince`,
    values: { maxCalls: HALF_OPEN_MAX_CALLS, lostSince: write.at - LOST_ROUND_MS },
  }),
  count_success: ({ at }) => ({
    also: "#permits.#permit = :zero, #successes = #successes + :one",
    condition: `${leaseIsAlive} AND #successes < :enough`,
    values: { zero: 0, one: 1, at, enough: SUCCESS_THRESHOLD - 1 },
  }),
  close: ({ at }) => ({
    remove: [...permitAttributes, "until", "openings", "shard"],
    condition: `${leaseIsAlive} AND #successes >= :enough`,
    values: { at, enough: SUCCESS_THRESHOLD - 1 },
  }),
  reopen: ({ at }) => ({
    set: { until: at + RECOVERY_TIMEOUT_MS, lastFailureAt: at },
    also: countOpening,
    remove: permitAttributes,
    condition: leaseIsAlive,
    values: { zero: 0, one: 1, at },
  }),
  return_permit: () => ({
    remove: ["permits.permit"],
    condition: "attribute_exists(#permits.#permit)",
  }),
  end_hold: ({ at, id }) => ({
    set: { failedAt4: at, failedCall4: id, lastFailureAt: at },
    remove: ["until", "shard"],
    condition: "#until <= :at",
    values: { at },
  }),
};

/** The circuit is still in the generation, and so in the state, that the write was decided upon. */
const isSameGeneration = ({ kind, generation }: CircuitWrite) => {
  if (generation === 0) {
    return { condition: "(attribute_not_exists(#generation) OR #generation = :generation)", values: { generation } };
  }
  const [state, otherState] = writeRule(kind).from;
  return {
    condition: `${otherState === undefined ? "#state = :state" : "#state IN (:state, :otherState)"} AND #generation = :generation`,
    values: { generation, state, ...definedFields({ otherState }) },
  };
};

const beginGeneration = `#generation = #generation + :one, ${appendStart}`;

/** The update of one automatic change. It applies only to the generation it was decided upon. */
export const writeUpdate = (organizationId: string, write: CircuitWrite): Update => {
  const { begins } = writeRule(write.kind);
  const same = isSameGeneration(write);
  const { set, also, condition, values, remove } = changes[write.kind](write, organizationId);
  const assignments = [begins && beginGeneration, also].filter((one) => one !== undefined);
  return {
    set: { ...(begins && { state: begins.state }), ...set },
    ...(assignments.length > 0 && { also: assignments.join(", ") }),
    ...definedFields({ remove }),
    condition: `${same.condition} AND ${condition}`,
    values: {
      ...same.values,
      ...(begins && { one: 1, ...startValues({ to: begins.state, cause: begins.cause, at: write.at }) }),
      ...values,
    },
    names: { ...indexNames, permit: write.id },
  };
};
