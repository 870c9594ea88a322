import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { type Circuit, newCircuit } from "../../../shared/circuit-breaker/circuit.ts";
import { parseCircuit } from "../../../shared/circuit-breaker/circuit-item.ts";
import { writeUpdate } from "../../../shared/circuit-breaker/circuit-updates.ts";
import { connectionUpdate } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import { writeKinds, writeRule } from "../../../shared/circuit-breaker/decide.ts";
import { announcedUpdate, forgottenUpdate, operatorUpdate } from "../../../shared/circuit-breaker/operator-updates.ts";
import { depth } from "../../support/depth.ts";
import { applyUpdate, type Expressions, InvalidExpression, type Item, rendered } from "../../support/expressions.ts";
import { fc } from "../../support/fixed-seed.ts";
import { useDatabase } from "../../support/use-table.ts";

const { client } = useDatabase("circuits");

/** Few values, so that boundaries and equal times are frequent. */
const time = fc.constantFrom(0, 10_000, 20_000, 30_000, 40_000, 60_000, 70_000, 90_000, 100_000);
const callId = fc.constantFrom("a", "b", "c", "d", "");
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const start = fc.record(
  {
    to: fc.constantFrom("open", "closed"),
    cause: fc.constant("failures"),
    at: time,
    by: callId,
    reason: callId,
  },
  { requiredKeys: ["to", "cause", "at"] },
);

/** Any combination of attributes, also ones that the breaker never writes. */
const storedItem = fc.record({
  state: maybe(fc.constantFrom("closed", "open", "half_open", "forced_open", "forced_closed")),
  generation: maybe(fc.constantFrom(0, 1, 2)),
  failedAt1: maybe(time),
  failedAt2: maybe(time),
  failedAt3: maybe(time),
  failedAt4: maybe(time),
  failedCall1: maybe(callId),
  failedCall2: maybe(callId),
  failedCall3: maybe(callId),
  failedCall4: maybe(callId),
  ou: maybe(time),
  permits: maybe(fc.dictionary(fc.constantFrom("a", "b", "c", "d"), time, { maxKeys: 4 })),
  successes: maybe(fc.constantFrom(0, 1, 2)),
  leasedUntil: maybe(time),
  openings: maybe(fc.constantFrom(1, 2)),
  lastFailureAt: maybe(time),
  operatorActionId: maybe(callId),
  announced: maybe(fc.constantFrom(0, 1, 2)),
  starts: maybe(fc.array(start, { maxLength: 3 })),
  sh: maybe(fc.constantFrom("0", "f", "u", "uf")),
  openShard: maybe(fc.constant("0")),
  heldShard: maybe(fc.constant("f")),
});

const counts = { total: 3, failed: 2, rejected: 1 };
const organizationId = "org";

const anyKind = fc.constantFrom(...writeKinds);

/** Expressions from the product's own builders, with any parameters. */
const shipped = (item: Item): fc.Arbitrary<Expressions> => {
  // Mostly writes that the state allows: otherwise the state check would fail each condition.
  const due = writeKinds.filter((kind) => writeRule(kind).from.some((state) => state === item.state));
  const kind = due.length > 0 ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...due) }, anyKind) : anyKind;
  const generation = fc.oneof(
    { weight: 5, arbitrary: fc.constant(Number(item.generation ?? 0)) },
    fc.constantFrom(0, 1, 2),
  );
  const automatic = fc
    .record({ kind, generation, at: time, id: fc.constantFrom("a", "b", "c") })
    .map((write) => rendered(writeUpdate(organizationId, write)));
  const operators = fc
    .record(
      {
        action: fc.constantFrom("reset", "force_open", "force_close"),
        at: time,
        id: callId,
        by: fc.constantFrom("alice", "bob"),
        reason: callId,
        until: time,
        baseline: fc.constant(counts),
      },
      { requiredKeys: ["action", "at", "id", "by", "baseline"] },
    )
    .map((write) => rendered(operatorUpdate(organizationId, write)));
  const starts = ((item.starts ?? []) as { by?: string }[]).map(({ by }, index) => ({
    generation: Number(item.generation ?? 0) - index,
    to: "open" as const,
    cause: "failures" as const,
    at: 0,
    ...(by !== undefined && { by }),
  }));
  const circuit: Circuit = { ...newCircuit, generation: Number(item.generation ?? 0), starts };
  const marks = fc.constantFrom(0, 1, 2).map((upTo) => rendered(announcedUpdate(circuit, upTo)));
  const named = starts.find(({ by }) => by !== undefined)?.by;
  const forgets = named === undefined ? [] : [fc.constant(rendered(forgottenUpdate(circuit, named)))];
  const shard = fc.constantFrom(undefined, "0", "f", "u", "uf");
  const connections = fc
    .record({ isConnected: fc.boolean(), shard: fc.oneof(shard, fc.constant(item.sh)) })
    .map(({ isConnected, shard: known }) =>
      rendered(connectionUpdate(organizationId, isConnected, typeof known === "string" ? known : undefined)),
    );
  return fc.oneof({ weight: 6, arbitrary: automatic }, operators, connections, marks, ...forgets);
};

const itemAndUpdate = storedItem.chain((fields) => {
  const item: Item = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return fc.tuple(fc.option(fc.constant(item), { nil: undefined, freq: 10 }), shipped(item));
});

let items = 0;
const byEngine = async (expressions: Expressions, item: Item | undefined): Promise<Item | string> => {
  const id = `item ${++items}`;
  if (item) await client.send(new PutCommand({ TableName: "circuits", Item: { ...item, id } }));
  try {
    const command = new UpdateCommand({ TableName: "circuits", Key: { id }, ...expressions, ReturnValues: "ALL_NEW" });
    const { Attributes = {} } = await client.send(command);
    return { ...Attributes, id: "x" };
  } catch (error) {
    return (error as Error).name;
  }
};

const byEvaluator = (expressions: Expressions, item: Item | undefined): Item | string => {
  try {
    return applyUpdate(expressions, item && { ...item, id: "x" }, { id: "x" }) ?? "ConditionalCheckFailedException";
  } catch (error) {
    if (error instanceof InvalidExpression) return "ValidationException";
    throw error;
  }
};

describe("the evaluator of expressions", () => {
  it("gives the engine's result for every expression of the product on any item", async () => {
    const seen = { applied: 0, refused: 0, invalid: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(itemAndUpdate, { minLength: 20, maxLength: 20 }), async (cases) => {
        const results = await Promise.all(cases.map(([item, expressions]) => byEngine(expressions, item)));
        for (const [index, [item, expressions]] of cases.entries()) {
          const expected = results[index] ?? "";
          const result = byEvaluator(expressions, item);
          expect({ item, expressions, result }).toEqual({ item, expressions, result: expected });
          if (typeof expected !== "string") seen.applied++;
          else if (expected.startsWith("Cond")) seen.refused++;
          else seen.invalid++;
        }
      }),
      { seed: 20_261_121, numRuns: depth(15, 50) },
    );
    // All three results must occur, or the comparison proves nothing.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(depth(2, 10));
  });
});

describe("a circuit's item", () => {
  it("that makes no sense is refused when it is read", () => {
    for (const stored of [
      {},
      { state: "ajar", generation: 1 },
      { state: "open", generation: 1 },
      { state: "closed", generation: -1 },
    ]) {
      expect(() => parseCircuit(stored)).toThrow();
    }
  });
});
