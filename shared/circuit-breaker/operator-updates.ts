/**
 * Updates of a circuit's item in addition to the automatic ones: operator actions, the announced mark, and the erasure
 * of a user. Pure.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { Update } from "../runtime/table.ts";
import type { Circuit } from "./circuit.ts";
import { indexNames, UNCONNECTED_HELD_SHARD } from "./circuit-keys.ts";
import { appendStart, failureSlots, startValues } from "./circuit-updates.ts";
import { type OperatorWrite, stateAfter } from "./reduce.ts";

/** Earlier versions stored ids of 12 random characters, which do not sort by time. */
const IS_LATER = "(#operatorActionId < :id OR size(#operatorActionId) < :idLength)";

/**
 * The update of an operator's action. Its only condition is that the action was not applied before, so operators win. If
 * an earlier attempt may have applied it, the condition is that no later action was applied either.
 */
export const operatorUpdate = (organizationId: string, write: OperatorWrite): Update => {
  const { action, id, baseline, isRepeated } = write;
  const until = action === "reset" ? undefined : write.until;
  const state = stateAfter[action];
  const isOpen = state === "forced_open";
  const hold = isOpen ? [", #shard = if_not_exists(#heldShard, :unconnected)"] : [];
  return {
    set: {
      organizationId,
      state,
      operatorActionId: id,
      ...definedFields({ until }),
      ...(action === "reset" && { baseline }),
    },
    also: ["#generation = if_not_exists(#generation, :zero) + :one, ", appendStart, ...hold].join(""),
    remove: [
      ...failureSlots,
      "permits",
      "successes",
      "leasedUntil",
      "openings",
      ...(until === undefined ? ["until"] : []),
      ...(isOpen ? [] : ["shard"]),
      ...(action === "reset" ? ["lastFailureAt"] : []),
    ],
    condition: `(attribute_not_exists(#operatorActionId) OR ${isRepeated ? IS_LATER : "#operatorActionId <> :id"})`,
    values: {
      ...startValues({ ...write, to: state, cause: action }),
      zero: 0,
      one: 1,
      id,
      ...(isRepeated && { idLength: id.length }),
      ...(isOpen && { unconnected: UNCONNECTED_HELD_SHARD }),
    },
    names: indexNames,
  };
};

const hasSameStarts = ({ generation, starts }: Circuit) => ({
  condition: "#generation = :generation AND size(#starts) = :length",
  values: { generation, length: starts.length },
});

/**
 * Marks generations up to `upTo` as announced and removes the starts before it. The update writes no element of
 * `starts`, so it cannot restore what an erasure has removed since the circuit was read.
 */
export const announcedUpdate = (circuit: Circuit, upTo: number): Update => {
  const surplus = circuit.starts.filter(({ generation }) => generation < upTo);
  return {
    set: { announced: upTo },
    // From the end: the embedded engine removes one element after another, DynamoDB all at once.
    remove: surplus.map((_, index) => `starts[${index}]`).reverse(),
    ...hasSameStarts(circuit),
  };
};

/**
 * Erases a user from `starts`: the author and reason of the user's own actions, and other reasons that name the user.
 * @param namesThem whether a reason names the user.
 */
export const forgottenUpdate = (
  circuit: Circuit,
  userId: string,
  namesThem: (reason: string) => boolean = () => false,
): Update => ({
  remove: circuit.starts.flatMap(({ by, reason }, index) => {
    if (by === userId) return [`starts[${index}].by`, `starts[${index}].reason`];
    return reason !== undefined && namesThem(reason) ? [`starts[${index}].reason`] : [];
  }),
  ...hasSameStarts(circuit),
});
