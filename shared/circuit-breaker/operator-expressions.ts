/**
 * Updates of a circuit's item besides the automatic ones: operator actions, the announced mark, and the erasure of a
 * user. Pure.
 */
import type { Circuit } from "./circuit.ts";
import {
  appendStart,
  failureSlots,
  startItem,
  type UpdateExpressions,
  updateExpressions,
} from "./circuit-expressions.ts";
import { UNCONNECTED_HELD_SHARD } from "./circuit-keys.ts";
import { type OperatorWrite, stateAfter } from "./reduce.ts";

/** Earlier versions stored ids of 12 random characters, which do not sort by time. */
const IS_LATER = "(#operatorActionId < :id OR size(#operatorActionId) < :idLength)";

/**
 * The update of an operator's action. Its only condition is that the action was not applied before, so operators win. If
 * an earlier attempt may have applied it, the condition is that no later action was applied either.
 */
export const operatorExpressions = (organizationId: string, write: OperatorWrite): UpdateExpressions => {
  const { action, id, baseline, isRepeated } = write;
  const until = action === "reset" ? undefined : write.until;
  const state = stateAfter[action];
  const isOpen = state === "forced_open";
  return updateExpressions(
    {
      only: [`(attribute_not_exists(#operatorActionId) OR ${isRepeated ? IS_LATER : "#operatorActionId <> :id"})`],
      set: [
        "#organizationId = :organizationId",
        "#state = :begins",
        "#generation = if_not_exists(#generation, :zero) + :one",
        appendStart,
        "#operatorActionId = :id",
        ...(until === undefined ? [] : ["#until = :until"]),
        ...(isOpen ? ["#shard = if_not_exists(#heldShard, :unconnected)"] : []),
        ...(action === "reset" ? ["#baseline = :baseline"] : []),
      ],
      remove: [
        ...failureSlots,
        "#permits",
        "#successes",
        "#leasedUntil",
        "#openings",
        ...(until === undefined ? ["#until"] : []),
        ...(isOpen ? [] : ["#shard"]),
        ...(action === "reset" ? ["#lastFailureAt"] : []),
      ],
    },
    {
      ":organizationId": organizationId,
      ":begins": state,
      ":start": [startItem({ ...write, to: state, cause: action })],
      ":none": [],
      ":zero": 0,
      ":one": 1,
      ":id": id,
      ":idLength": isRepeated ? id.length : undefined,
      ":until": until,
      ":unconnected": UNCONNECTED_HELD_SHARD,
      ":baseline": baseline,
    },
  );
};

const areSameStarts = ["#generation = :generation", "size(#starts) = :length"];

/**
 * Marks generations up to `upTo` as announced and removes the starts before it. The update writes no element of
 * `starts`, so it cannot restore what an erasure has removed meanwhile.
 */
export const announcedExpressions = (circuit: Circuit, upTo: number): UpdateExpressions => {
  const surplus = circuit.starts.filter(({ generation }) => generation < upTo);
  return updateExpressions(
    {
      only: areSameStarts,
      set: ["#announced = :announced"],
      // From the end: the embedded engine removes one element after another, DynamoDB all at once.
      remove: surplus.map((_, index) => `#starts[${index}]`).reverse(),
    },
    { ":generation": circuit.generation, ":length": circuit.starts.length, ":announced": upTo },
  );
};

/**
 * Erases a user from `starts`: the author and reason of the user's own actions, and other reasons that name the user.
 * @param namesThem whether a reason names the user.
 */
export const forgottenExpressions = (
  circuit: Circuit,
  userId: string,
  namesThem: (reason: string) => boolean = () => false,
): UpdateExpressions => {
  const remove = circuit.starts.flatMap(({ by, reason }, index) => {
    if (by === userId) return [`#starts[${index}].#by`, `#starts[${index}].#reason`];
    return reason !== undefined && namesThem(reason) ? [`#starts[${index}].#reason`] : [];
  });
  return updateExpressions(
    { only: areSameStarts, set: [], remove },
    { ":generation": circuit.generation, ":length": circuit.starts.length },
  );
};
