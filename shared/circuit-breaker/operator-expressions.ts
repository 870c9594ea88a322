/** What operators do to a circuit's item, and what is taken away from its history. Pure. */
import type { Circuit } from "./circuit.ts";
import { startItem } from "./circuit-item.ts";
import { UNCONNECTED_HELD_SHARD } from "./circuit-keys.ts";
import { type OperatorWrite, stateAfter } from "./operate.ts";
import { assemble, type UpdateExpressions, window } from "./update-expressions.ts";

/** The update of an operator's action: it asks nothing but that it was not done already, and so it wins. */
export const operatorExpressions = (organizationId: string, write: OperatorWrite): UpdateExpressions => {
  const { action, id, baseline } = write;
  const until = action === "reset" ? undefined : write.until;
  const state = stateAfter[action];
  const isOpen = state === "forced_open";
  return assemble(
    {
      only: ["(attribute_not_exists(#oi) OR #oi <> :id)"],
      set: [
        "#o = :organization",
        "#st = :begins",
        "#gen = if_not_exists(#gen, :zero) + :one",
        "#tr = list_append(if_not_exists(#tr, :none), :start)",
        "#oi = :id",
        ...(until === undefined ? [] : ["#ou = :until"]),
        ...(isOpen ? ["#sh = if_not_exists(#ch, :unconnected)"] : []),
        ...(action === "reset" ? ["#b = :baseline"] : []),
      ],
      remove: [
        ...window,
        "#pm",
        "#hs",
        "#hu",
        "#oc",
        ...(until === undefined ? ["#ou"] : []),
        ...(isOpen ? [] : ["#sh"]),
        ...(action === "reset" ? ["#lf"] : []),
      ],
    },
    {},
    {
      ":organization": organizationId,
      ":begins": state,
      ":start": [startItem({ ...write, to: state, cause: action })],
      ":none": [],
      ":zero": 0,
      ":one": 1,
      ":id": id,
      ":until": until,
      ":unconnected": UNCONNECTED_HELD_SHARD,
      ":baseline": { t: baseline.total, f: baseline.failed, r: baseline.rejected },
    },
  );
};

/**
 * Forgets the beginnings of generations before one, which were announced, or given up. It takes elements away and
 * writes none, so that it brings back nothing that an erasure has removed meanwhile.
 */
export const announcedExpressions = (circuit: Circuit, upTo: number): UpdateExpressions => {
  const surplus = circuit.starts.filter(({ generation }) => generation < upTo);
  return assemble(
    {
      only: ["#gen = :generation", "size(#tr) = :length"],
      set: ["#ann = :announced"],
      // From the end: the embedded engine takes one away after another, DynamoDB all at once.
      remove: surplus.map((_, index) => `#tr[${index}]`).reverse(),
    },
    {},
    { ":generation": circuit.generation, ":length": circuit.starts.length, ":announced": upTo },
  );
};

/**
 * Empties what names an operator in the beginnings of generations: the author where it is this one, with the reason, and
 * others' reasons that name them.
 */
export const forgottenExpressions = (
  circuit: Circuit,
  userId: string,
  namesThem: (reason: string) => boolean = () => false,
): UpdateExpressions => {
  const remove = circuit.starts.flatMap(({ by, reason }, index) => {
    if (by === userId) return [`#tr[${index}].#b`, `#tr[${index}].#r`];
    return reason !== undefined && namesThem(reason) ? [`#tr[${index}].#r`] : [];
  });
  return assemble(
    {
      only: ["#gen = :generation", "size(#tr) = :length"],
      set: [],
      remove,
    },
    {},
    { ":generation": circuit.generation, ":length": circuit.starts.length },
  );
};
