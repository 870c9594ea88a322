import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { type Circuit, newCircuit, noCounts } from "../../../shared/circuit-breaker/circuit.ts";
import { circuitKey, indexShard } from "../../../shared/circuit-breaker/circuit-keys.ts";
import { type CircuitStore, createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createConnectionMarkStore } from "../../../shared/circuit-breaker/connection-mark-store.ts";
import { type CircuitWrite, type WriteKind, writeKinds } from "../../../shared/circuit-breaker/decide.ts";
import { type OperatorWrite, operate, reduce } from "../../../shared/circuit-breaker/reduce.ts";
import { documentTranslation } from "../../../shared/runtime/document-translation.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { transactOnce } from "../../../shared/runtime/table-transaction.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { startTables } from "../../support/service-tables.ts";
import { useEngine } from "../../support/use-table.ts";

quietLog();

const database = useEngine("circuits");
let store: CircuitStore;
let organizations = 0;
const freshOrganization = () => `organization ${++organizations}`;

beforeAll(() => {
  store = createCircuitStore(createTable(database.documentClient(), "circuits"));
});

const start = 1_700_000_000_000;

/** Writes that must all be applied, one after another. */
const writeAll = async (organizationId: string, writes: readonly CircuitWrite[]): Promise<Circuit> => {
  let circuit = newCircuit;
  for (const write of writes) {
    const answer = await store.write(organizationId, write);
    expect({ write, applied: answer.applied }).toEqual({ write, applied: true });
    circuit = answer.circuit;
  }
  return circuit;
};
const failures = (count: number, at = start, generation = 0): CircuitWrite[] =>
  Array.from({ length: count }, (_, index) => ({ kind: "record_failure", generation, at, id: `f${index}` }));
const opened: CircuitWrite[] = [...failures(4), { kind: "trip", generation: 0, at: start, id: "f4" }];
const write = (kind: WriteKind, generation: number, seconds: number, id: string): CircuitWrite => ({
  kind,
  generation,
  at: start + seconds * 1_000,
  id,
});

/** Connects and disconnects by a transaction, and repeats it if the index entry has moved. */
const connector = (client: DynamoDBDocumentClient) => {
  const circuits = createTable<"circuits">(client, "circuits");
  const marks = createConnectionMarkStore(circuits);
  return async (organizationId: string, isConnected: boolean): Promise<void> => {
    while ((await transactOnce(circuits, [await marks.mark(organizationId, isConnected)]))?.size !== 0);
  };
};

describe("a stored circuit", () => {
  it("is closed and of generation 0 if nothing is stored", async () => {
    await expect(store.read(freshOrganization())).resolves.toEqual(newCircuit);
  });

  it("is read as it was written, in every state", async () => {
    const halfOpen = [...opened, write("take_first_permit", 1, 30, "p1"), write("take_permit", 2, 30, "p2")];
    const sequences: CircuitWrite[][] = [
      failures(1),
      failures(4),
      opened,
      halfOpen,
      [...halfOpen, write("count_success", 2, 31, "p1")],
      [...halfOpen, write("count_success", 2, 31, "p1"), write("close", 2, 31, "p2")],
      [...halfOpen, write("reopen", 2, 31, "p1")],
      [...halfOpen, write("return_permit", 2, 31, "p1")],
      [...halfOpen, write("take_permit", 2, 31, "p3"), write("start_round", 2, 73, "p4")],
    ];
    for (const sequence of sequences) {
      const organizationId = freshOrganization();
      const answered = await writeAll(organizationId, sequence);
      const reduced = sequence.reduce<Circuit>((circuit, one) => reduce(circuit, one) ?? circuit, newCircuit);
      expect(answered).toEqual(reduced);
      await expect(store.read(organizationId)).resolves.toEqual(reduced);
    }
  });

  it.each<Partial<OperatorWrite>>([
    { action: "force_open" },
    { action: "force_open", until: start + 5 },
    { action: "force_close", reason: "planned work" },
    { action: "force_close", until: start + 5 },
    { action: "reset", baseline: { total: 7, failed: 5, rejected: 1 } },
  ])("has the state of the operator's action, from every state: %j", async (command) => {
    const action = { action: "reset", at: start, id: "o1", by: "alice", baseline: noCounts, ...command } as const;
    for (const before of [[], failures(2), opened, [...opened, write("take_first_permit", 1, 30, "p1")]]) {
      const organizationId = freshOrganization();
      const circuit = await writeAll(organizationId, before);
      await expect(store.operate(organizationId, action)).resolves.toEqual({
        before: circuit,
        after: operate(circuit, action),
      });
      await expect(store.read(organizationId)).resolves.toEqual(operate(circuit, action));
      // The same request again, as after a lost answer.
      await expect(store.operate(organizationId, action)).resolves.toMatchObject({ before: undefined });
      await expect(store.read(organizationId)).resolves.toEqual(operate(circuit, action));
    }
  });

  it("belongs to one organization, whatever its id", async () => {
    const names = ["a", "a.0", "all", "all.0", "组织", circuitKey("a"), "a".repeat(128)];
    for (const name of names) await store.write(name, { kind: "record_failure", generation: 0, at: start, id: name });
    for (const name of names) {
      await expect(store.read(name)).resolves.toMatchObject({ failures: [{ at: start, id: name }] });
    }
  });

  it("loses an erased operator, and nothing else", async () => {
    const organizationId = freshOrganization();
    const by = (name: string, id: string) =>
      ({ action: "force_open", at: start, id, by: name, reason: `${name}'s`, baseline: noCounts }) as const;
    await store.operate(organizationId, by("alice", "o1"));
    await store.operate(organizationId, by("bob", "o2"));
    const { after } = await store.operate(organizationId, by("alice", "o3"));
    await expect(store.forget(organizationId, after, "alice")).resolves.toMatchObject({ applied: true });
    const circuit = await store.read(organizationId);
    expect(circuit.starts.map(({ by: who, reason }) => [who, reason])).toEqual([
      [undefined, undefined],
      ["bob", "bob's"],
      [undefined, undefined],
    ]);
    expect(circuit).toMatchObject({ state: "forced_open", generation: 3 });
  });
});

describe("the store, compared with the reducer", () => {
  it("gives the reducer's result for any writes in any order", async () => {
    const seconds = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 12, 30, 60);
    const anyWrite = fc.record({
      choice: fc.nat(1_000),
      isDue: fc.constantFrom(true, true, true, false),
      older: fc.constantFrom(0, 0, 0, 0, 0, 0, 1),
      seconds,
    });
    const anyCommand = fc.record(
      { action: fc.constantFrom("reset" as const, "force_open" as const, "force_close" as const), seconds },
      { requiredKeys: ["action"] },
    );
    const command = fc.oneof({ weight: 20, arbitrary: anyWrite }, { weight: 1, arbitrary: anyCommand });
    type Choice = { kind: WriteKind; id: string };
    const choices: Choice[] = writeKinds.flatMap((kind) => [..."abcdefgh"].map((id) => ({ kind, id })));
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 60, size: "max" }), async (commands) => {
        const organizationId = freshOrganization();
        let model: Circuit = newCircuit;
        let number = 0;
        let now = 0;
        for (const one of commands) {
          now += one.seconds ?? 0;
          if ("choice" in one) {
            // Mostly writes that the state allows; otherwise every write would be refused.
            const applies = ({ kind, id }: Choice) =>
              reduce(model, write(kind, model.generation, now, id)) !== undefined;
            const due = one.isDue ? choices.filter(applies) : choices;
            const { kind, id } = due[one.choice % Math.max(1, due.length)] ?? { kind: "trip", id: "a" };
            const sent = write(kind, model.generation - one.older, now, id);
            const expected = reduce(model, sent);
            const answer = await store.write(organizationId, sent);
            expect(answer).toMatchObject({ applied: expected !== undefined, circuit: expected ?? model });
            seen.add(`${sent.kind} ${answer.applied}`);
            model = answer.circuit;
          } else {
            const ends = one.seconds !== undefined && one.action !== "reset";
            const until = ends ? { until: start + (now + 30) * 1_000 } : {};
            const sent = {
              action: one.action,
              at: start,
              id: `o${++number}`,
              by: "alice",
              baseline: noCounts,
              ...until,
            };
            await store.operate(organizationId, sent);
            model = operate(model, sent);
          }
        }
        await expect(store.read(organizationId)).resolves.toEqual(model);
      }),
      { seed: 20_261_121, numRuns: depth(6, 40) },
    );
    if (isDeep) for (const kind of writeKinds) expect([...seen]).toContain(`${kind} true`);
  });
});

describe("the cost, as DynamoDB counts it", () => {
  it("equals the table in docs/circuit-breaker.md", async () => {
    const used: number[] = [];
    const client = database.client();
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === "UpdateItemCommand") Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
        const result = await next(args);
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
        used.push(ConsumedCapacity?.CapacityUnits ?? 0);
        return result;
      },
      { step: "initialize" },
    );
    const { DynamoDBDocumentClient } = await import("@aws-sdk/lib-dynamodb");
    const metered = createCircuitStore(
      createTable(DynamoDBDocumentClient.from(client, documentTranslation), "circuits"),
    );
    const costOf = async (organizationId: string, ...writes: CircuitWrite[]): Promise<number> => {
      used.length = 0;
      for (const one of writes) await metered.write(organizationId, one);
      return used.reduce((sum, units) => sum + units, 0);
    };
    expect(UpdateItemCommand.name).toBe("UpdateItemCommand");
    const organizationId = `an organization with a long name ${"x".repeat(90)}`;
    const [first, ...others] = failures(4);
    expect(await costOf(organizationId, first as CircuitWrite)).toBe(1);
    expect(await costOf(organizationId, ...others)).toBe(3);
    expect(await costOf(organizationId, write("trip", 0, 0, "f4"))).toBe(2);
    const recovery = [
      write("take_first_permit", 1, 30, "p1"),
      write("take_permit", 2, 30, "p2"),
      write("count_success", 2, 31, "p1"),
      write("close", 2, 31, "p2"),
    ];
    expect(await costOf(organizationId, ...recovery)).toBe(5);
    const again = freshOrganization();
    await costOf(again, ...opened, write("take_first_permit", 1, 30, "p1"));
    expect(await costOf(again, write("reopen", 2, 31, "p1"))).toBe(2);
  });

  it("is below half a kilobyte per item", async () => {
    const organizationId = freshOrganization();
    await writeAll(organizationId, [
      ...opened,
      ...["aaaaaaaaaaaa1", "aaaaaaaaaaaa2", "aaaaaaaaaaaa3"].map((id, index) =>
        write(index === 0 ? "take_first_permit" : "take_permit", index === 0 ? 1 : 2, 30, id),
      ),
    ]);
    const { Item } = await database
      .documentClient()
      .send(new GetCommand({ TableName: "circuits", Key: { id: circuitKey(organizationId) } }));
    expect(JSON.stringify(Item).length).toBeLessThan(512);
  });
});

describe("counting circuits that are not closed", () => {
  it("distinguishes open from half-open by the time, and leaves out holds that have ended", async () => {
    const separate = await startTables("circuits");
    try {
      const own = createCircuitStore(createTable(separate.documentClient(), "circuits"));
      for (let index = 0; index < 9; index++) {
        for (const one of opened) await own.write(`open ${index}`, one);
      }
      await own.write("open 0", write("take_first_permit", 1, 30, "p"));
      const hold = { at: start, by: "alice", baseline: noCounts };
      await own.operate("held", { ...hold, action: "force_open", id: "a" });
      await own.operate("held for a while", { ...hold, action: "force_open", id: "b", until: start + 10_000 });
      await own.operate("held closed", { ...hold, action: "force_close", id: "c" });
      await own.write("failing", { kind: "record_failure", generation: 0, at: start, id: "f" });
      await expect(own.countOpen(start + 9_999)).resolves.toMatchObject({
        open: 11,
        halfOpen: 0,
        unconnected: 11,
        held: 2,
      });
      await expect(own.countOpen(start + 10_000)).resolves.toMatchObject({ open: 10, halfOpen: 0, unconnected: 10 });
      await expect(own.countOpen(start + 29_999)).resolves.toMatchObject({ open: 10, halfOpen: 0, unconnected: 10 });
      await expect(own.countOpen(start + 30_000)).resolves.toMatchObject({ open: 1, halfOpen: 9, unconnected: 10 });
      const { documentClient } = separate;
      const connect = connector(documentClient());
      // Open, half-open, held, held for a while, held closed, failing, and without an item.
      const connected = ["open 1", "open 0", "held", "held for a while", "held closed", "failing", "new"];
      for (const organizationId of connected) await connect(organizationId, true);
      await expect(own.countOpen(start + 9_999)).resolves.toMatchObject({ open: 11, halfOpen: 0, unconnected: 7 });
      await expect(own.countOpen(start + 30_000)).resolves.toMatchObject({ open: 1, halfOpen: 9, unconnected: 7 });
      await connect("held", false);
      await connect("open 1", false);
      await expect(own.countOpen(start + 9_999)).resolves.toMatchObject({ open: 11, halfOpen: 0, unconnected: 9 });
      await expect(own.countOpen(start + 30_000)).resolves.toMatchObject({ open: 1, halfOpen: 9, unconnected: 9 });
    } finally {
      await separate.stop();
    }
  });
});

describe("an organization's connection", () => {
  const entryOf = async (organizationId: string) => {
    const client = database.documentClient();
    const { Item } = await client.send(
      new GetCommand({ TableName: "circuits", Key: { id: circuitKey(organizationId) } }),
    );
    return Item?.sh;
  };

  it("changes nothing of the circuit, in any state", async () => {
    const connect = connector(database.documentClient());
    const hold = { action: "force_open", at: start, id: "a", by: "alice", baseline: noCounts } as const;
    for (const before of [[], failures(2), opened, [...opened, write("take_first_permit", 1, 30, "p1")]]) {
      const organizationId = freshOrganization();
      const circuit = await writeAll(organizationId, before);
      for (const isConnected of [true, true, false, false, true]) {
        await connect(organizationId, isConnected);
        await expect(store.read(organizationId)).resolves.toEqual(circuit);
        const shard = isConnected ? indexShard(organizationId) : "u";
        await expect(entryOf(organizationId)).resolves.toBe(circuit.state === "closed" ? undefined : shard);
      }
      const { after } = await store.operate(organizationId, hold);
      await expect(entryOf(organizationId)).resolves.toBe("f");
      await connect(organizationId, false);
      await expect(entryOf(organizationId)).resolves.toBe("uf");
      await expect(store.read(organizationId)).resolves.toEqual(after);
    }
  });

  it("may be the first write: the circuit is closed, of generation 0, and opens like others", async () => {
    const organizationId = freshOrganization();
    await connector(database.documentClient())(organizationId, true);
    await expect(store.read(organizationId)).resolves.toEqual(newCircuit);
    await writeAll(organizationId, opened);
    await expect(entryOf(organizationId)).resolves.toBe(indexShard(organizationId));
  });

  if (isDeep)
    it("agrees with the count of connections although circuits open and close concurrently", async () => {
      const separate = await startTables("circuits");
      try {
        const client = separate.documentClient();
        const own = createCircuitStore(createTable(client, "circuits"));
        const connect = connector(client);
        const names = Array.from({ length: 12 }, (_, index) => `racing ${index}`);
        const operate = async (organizationId: string) => {
          for (let round = 0; round < 8; round++) {
            const action = round % 2 === 0 ? "force_open" : "reset";
            await own.operate(organizationId, { action, at: start, id: `${round}`, by: "alice", baseline: noCounts });
          }
          for (const one of opened) await own.write(organizationId, { ...one, generation: 8 });
        };
        const change = async (organizationId: string, index: number) => {
          for (let round = 0; round <= 3 + (index % 2); round++) await connect(organizationId, round % 2 === 0);
        };
        await Promise.all(names.flatMap((name, index) => [operate(name), change(name, index)]));
        // Organizations with an even index were disconnected last.
        await expect(own.countOpen(start)).resolves.toMatchObject({ open: 12, halfOpen: 0, unconnected: 6 });
        for (const name of names)
          await own.operate(name, { action: "reset", at: start, id: "end", by: "alice", baseline: noCounts });
        await expect(own.countOpen(start)).resolves.toMatchObject({ open: 0, halfOpen: 0, unconnected: 0 });
      } finally {
        await separate.stop();
      }
    });

  it("costs a read, and a transaction of two write units, or four while the circuit is not closed", async () => {
    const client = database.documentClient();
    const measure = countUnits(client);
    const organizationId = freshOrganization();
    const connect = connector(client);
    await expect(measure(() => connect(organizationId, true))).resolves.toEqual({ read: 1, write: 2 });
    await writeAll(organizationId, opened);
    await expect(measure(() => connect(organizationId, false))).resolves.toEqual({ read: 1, write: 4 });
  });
});

describe("a write that conflicts with a transaction", () => {
  const meeting = (times: number) => {
    const client = database.documentClient();
    let met = 0;
    client.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === "UpdateItemCommand" && met++ < times) {
          throw Object.assign(new Error("held"), { name: "TransactionConflictException" });
        }
        return next(args);
      },
      { step: "initialize" },
    );
    return createCircuitStore(createTable(client, "circuits"));
  };

  it("is applied after the transaction, or fails as a store failure", async () => {
    const [first] = failures(1);
    await expect(meeting(2).write(freshOrganization(), first as CircuitWrite)).resolves.toMatchObject({
      applied: true,
    });
    await expect(meeting(3).write(freshOrganization(), first as CircuitWrite)).rejects.toMatchObject({
      code: "store_unavailable",
    });
  });
});

describe("a store that does not answer", () => {
  it("causes one domain error", async () => {
    const away = createCircuitStore(
      createTable(
        (await import("@aws-sdk/lib-dynamodb")).DynamoDBDocumentClient.from(
          database.client({ endpoint: "http://127.0.0.1:9", maxAttempts: 1 }),
        ),
        "circuits",
      ),
    );
    for (const call of [
      away.read("x", 200),
      away.write("x", write("take_permit", 2, 1, "p"), 200),
      away.countOpen(start),
      away.operate("x", { action: "reset", at: start, id: "o", by: "alice", baseline: noCounts }),
    ]) {
      await expect(call).rejects.toMatchObject({ code: "store_unavailable" });
    }
  });
});
