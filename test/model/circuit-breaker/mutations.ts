/**
 * Mutations of the breaker, each with one guard missing or weakened. They are generated from the product's expressions:
 * each clause dropped, each comparison moved by its boundary, each assignment removed. If the explorer does not find a
 * mutation, the guard is unnecessary or an invariant is missing.
 */
import { newCircuit } from "../../../shared/circuit-breaker/circuit.ts";
import { indexShard } from "../../../shared/circuit-breaker/circuit-keys.ts";
import { writeUpdate } from "../../../shared/circuit-breaker/circuit-updates.ts";
import { connectionUpdate } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import { writeKinds } from "../../../shared/circuit-breaker/decide.ts";
import { announcedUpdate, operatorUpdate } from "../../../shared/circuit-breaker/operator-updates.ts";
import { type Expressions, rendered } from "../../support/expressions.ts";
import { type Mutation, organizationId } from "./world.ts";

/** Splits at separators outside parentheses. */
const splitOutside = (text: string, separator: string): string[] => {
  const parts = [""];
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    if (text[i] === ")") depth--;
    if (depth === 0 && text.startsWith(separator, i)) {
      parts.push("");
      i += separator.length - 1;
    } else parts.push(`${parts.pop()}${text[i]}`);
  }
  return parts;
};

type Kind = Mutation["kind"];

const withCondition = (kind: Kind, name: string, change: (clauses: string[]) => string[]): Mutation => ({
  name,
  kind,
  mutate: (shipped) => ({
    ...shipped,
    ConditionExpression: change(splitOutside(shipped.ConditionExpression, " AND ")).join(" AND "),
  }),
});

const edges: Record<string, string> = { " <= ": " < ", " < ": " <= ", " >= ": " > ", " > ": " >= " };

const ofClause = (kind: Kind, clause: string): Mutation[] => {
  const dropped = withCondition(kind, `${kind}: without ${clause}`, (all) => all.filter((one) => one !== clause));
  const edge = Object.keys(edges).find((comparison) => clause.includes(comparison));
  if (edge === undefined) return [dropped];
  const moved = clause.replace(edge, edges[edge] ?? edge);
  const move = (one: string) => (one === clause ? moved : one);
  return [dropped, withCondition(kind, `${kind}: ${moved}`, (all) => all.map(move))];
};

/** The assignments and removals of an update, and the text without one of them. */
const changesOf = (update: string): { name: string; without: (text: string) => string }[] => {
  const clauses = update.split(/ (?=REMOVE )/).map((clause) => {
    const space = clause.indexOf(" ");
    return { verb: clause.slice(0, space), parts: splitOutside(clause.slice(space + 1), ", ") };
  });
  return clauses.flatMap(({ verb, parts }) =>
    parts.map((part) => ({
      name: `${verb} ${part}`,
      without: (text: string) =>
        text
          .split(/ (?=REMOVE )/)
          .flatMap((clause) => {
            if (!clause.startsWith(`${verb} `)) return [clause];
            const left = splitOutside(clause.slice(verb.length + 1), ", ").filter((one) => one !== part);
            return left.length > 0 ? [`${verb} ${left.join(", ")}`] : [];
          })
          .join(" "),
    })),
  );
};

const ofExpressions = (kind: Kind, shipped: Expressions): Mutation[] => [
  ...splitOutside(shipped.ConditionExpression, " AND ").flatMap((clause) => ofClause(kind, clause)),
  ...changesOf(shipped.UpdateExpression).map(
    ({ name, without }): Mutation => ({
      name: `${kind}: without ${name}`,
      kind,
      mutate: (expressions) => ({ ...expressions, UpdateExpression: without(expressions.UpdateExpression) }),
    }),
  ),
];

const command = { at: 0, id: "o", by: "alice", baseline: { total: 0, failed: 0, rejected: 0 } };
const announced = {
  ...newCircuit,
  generation: 2,
  starts: [{ generation: 1, to: "open", cause: "failures", at: 0 }],
} as const;

/** By name, each once. */
export const mutations: readonly Mutation[] = [
  ...new Map(
    [
      ...writeKinds.flatMap((kind) =>
        [0, 1].flatMap((generation) =>
          generation === 0 && !["record_failure", "trip"].includes(kind)
            ? []
            : ofExpressions(kind, rendered(writeUpdate(organizationId, { kind, generation, at: 0, id: "a" }))),
        ),
      ),
      ...ofExpressions(
        "operate",
        rendered(operatorUpdate(organizationId, { ...command, action: "force_open", until: 1 })),
      ),
      ...ofExpressions("operate", rendered(operatorUpdate(organizationId, { ...command, action: "reset" }))),
      ...ofExpressions("announce", rendered(announcedUpdate(announced, 2))),
      ...[undefined, "u", "uf"].flatMap((shard) =>
        ofExpressions("connect", rendered(connectionUpdate(organizationId, true, shard))),
      ),
      ...[undefined, indexShard(organizationId), "f"].flatMap((shard) =>
        ofExpressions("connect", rendered(connectionUpdate(organizationId, false, shard))),
      ),
    ].map((mutation) => [mutation.name, mutation]),
  ).values(),
];

/**
 * Redundant guards, kept as a second check: another guard implies them. I9 checks the first one: the attributes in these
 * conditions exist in one state only.
 */
export const implied: Readonly<Record<string, string>> = {
  "trip: without #state = :state": "failedAt1 and failedAt4 exist only while closed",
  "take_permit: without #state = :state": "permits exists only while half-open",
  "start_round: without #state = :state": "permits exists only while half-open",
  "start_round: without SET #state = :set_state": "it is half-open before and after",
  "count_success: without #state = :state": "permits exists only while half-open",
  "close: without #state = :state": "permits exists only while half-open",
  "reopen: without #state = :state": "permits exists only while half-open",
  "return_permit: without #state = :state": "permits exists only while half-open",
};
