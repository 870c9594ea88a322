/**
 * Every change of a circuit as DynamoDB carries it out: one UpdateItem, whose condition is the guard that reduce.ts
 * states in TypeScript. All assignments read the item as it was before. Pure: texts and values, no SDK.
 */
import {
  type Circuit,
  FAILURE_WINDOW_MS,
  HALF_OPEN_MAX_CALLS,
  LEASE_MS,
  LOST_ROUND_MS,
  RECOVERY_TIMEOUT_MS,
  SUCCESS_THRESHOLD,
} from "./circuit.ts";
import { startItem } from "./circuit-item.ts";
import { HELD_SHARD, indexShard } from "./circuit-keys.ts";
import { type OperatorWrite, stateAfter } from "./operate.ts";
import { type CircuitWrite, type WriteKind, writeRule } from "./writes.ts";

/** What one UpdateItem is told besides its table and key. */
export type UpdateExpressions = {
  ConditionExpression: string;
  UpdateExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ExpressionAttributeValues: Record<string, unknown>;
};

type Parts = { only: readonly string[]; set: readonly string[]; remove?: readonly string[] };

const window = ["#f1", "#f2", "#f3", "#f4", "#j1", "#j2", "#j3", "#j4"];
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
    set: ["#ou = :openUntil", "#oc = if_not_exists(#oc, :zero) + :one", "#lf = :at", "#sh = :shard"],
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

/** Names and values that the texts use, and no others: DynamoDB refuses what is not used. */
const used = (texts: string, names: Record<string, string>, values: Record<string, unknown>) => ({
  ExpressionAttributeNames: Object.fromEntries(
    [...new Set(texts.match(/#\w+/g))].map((name) => [name, names[name] ?? name.slice(1)]),
  ),
  ExpressionAttributeValues: Object.fromEntries([...new Set(texts.match(/:\w+/g))].map((name) => [name, values[name]])),
});

const assemble = (
  { only, set, remove = [] }: Parts,
  names: Record<string, string>,
  values: Record<string, unknown>,
): UpdateExpressions => {
  const ConditionExpression = only.join(" AND ");
  const clauses = [set.length > 0 && `SET ${set.join(", ")}`, remove.length > 0 && `REMOVE ${remove.join(", ")}`];
  const UpdateExpression = clauses.filter((clause) => clause !== false).join(" ");
  return {
    ConditionExpression,
    UpdateExpression,
    ...used(`${ConditionExpression} ${UpdateExpression}`, names, values),
  };
};

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
      ":shard": indexShard(organizationId),
      ":lease": lease,
      ":permits": { [id]: lease },
      ":maxCalls": HALF_OPEN_MAX_CALLS,
      ":lostSince": at - LOST_ROUND_MS,
      ":enough": SUCCESS_THRESHOLD - 1,
    },
  );
};

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
        ...(isOpen ? ["#sh = :shard"] : []),
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
      ":shard": HELD_SHARD,
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

/** Empties what names an operator in the beginnings of generations: the author where it is this one, and the reason. */
export const forgottenExpressions = (circuit: Circuit, userId: string): UpdateExpressions => {
  const named = circuit.starts.flatMap(({ by }, index) => (by === userId ? [index] : []));
  return assemble(
    {
      only: ["#gen = :generation", "size(#tr) = :length"],
      set: [],
      remove: named.flatMap((index) => [`#tr[${index}].#b`, `#tr[${index}].#r`]),
    },
    {},
    { ":generation": circuit.generation, ":length": circuit.starts.length },
  );
};
