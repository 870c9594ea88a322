/** Batches of conditional writes against the embedded engine, with faults of single statements and of whole calls. */
import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { isItemRefused } from "../../../shared/runtime/call-store.ts";
import { replaceInBatches } from "../../../shared/runtime/replace-batches.ts";
import { createTable, putItem, type Table } from "../../../shared/runtime/table.ts";
import { getItems } from "../../../shared/runtime/table-batches.ts";
import { followPlan } from "../../faults/fault-plan.ts";
import { startFaultProxy } from "../../faults/fault-proxy.ts";
import { depth, rangeOf, sampleOf } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { startTables } from "../../support/service-tables.ts";
import { usePerFile } from "../../support/use-started.ts";

const NAME = "records";
const BATCH = rangeOf(25);

const engine = usePerFile(() => startTables(NAME));
const proxy = usePerFile(() => startFaultProxy(engine.endpoint));
let direct: Table<typeof NAME>;
beforeAll(() => {
  direct = createTable(engine.documentClient(), NAME);
});
quietLog();
// Pauses before retries are random; these are of no length.
beforeEach(() => void jest.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => proxy.use(undefined));

let scopes = 0;
/** New items with the numbers of a batch; half of them are stored already, in their first version. */
const newItems = async () => {
  const scope = `scope ${++scopes}`;
  const items = BATCH.map((n) => {
    const key = { scope, key: String(n) };
    const stored = { ...key, text: "first", inQuestion: true, version: `first ${n}` };
    const previous = n % 2 === 1 ? stored : undefined;
    return { key, item: { ...key, text: "second", version: `second ${n}` }, previous };
  });
  const requests = items.flatMap(({ previous: Item }) => (Item === undefined ? [] : [{ PutRequest: { Item } }]));
  await direct.client.send(new BatchWriteCommand({ RequestItems: { [NAME]: requests } }));
  return items;
};
type Items = Awaited<ReturnType<typeof newItems>>;

/** The results of writing all items in one turn, and the versions that are stored then. */
const replaceAll = async (client: DynamoDBDocumentClient, items: Items) => {
  const replace = replaceInBatches(createTable<typeof NAME>(client, NAME), "version");
  const results = await Promise.all(items.map((one) => replace(one).catch((error: unknown) => error)));
  const { items: stored } = await getItems(
    direct,
    items.map(({ key }) => key),
    { isConsistent: true },
  );
  const versions = new Map(stored.map(({ key, version }) => [key, version]));
  return { results, versions: items.map(({ key }) => versions.get(key.key)) };
};

const seconds = BATCH.map((n) => `second ${n}`);

/**
 * What happens to a statement: it is passed on; throttled before it is executed; executed, and reported as failed;
 * executed, and its result is missing; not sent, and its result is missing; or another write comes first.
 */
const FATES = ["passed", "throttled", "lost", "executed without result", "without result", "overtaken"] as const;
type Fate = (typeof FATES)[number];

type Result = { Error?: { Code: string } };
const ERRORS: Partial<Record<Fate, Result>> = {
  throttled: { Error: { Code: "ThrottlingError" } },
  lost: { Error: { Code: "InternalServerError" } },
};
const isExecuted = (fate: Fate) => fate !== "throttled" && fate !== "without result";

/** A client whose batches have these fates by attempt and statement, and the number of writes that were executed. */
const withFates = (items: Items, fates: readonly (readonly Fate[])[]) => {
  const client = engine.documentClient();
  const attempts = items.map(() => 0);
  let executed = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName !== "BatchExecuteStatementCommand") return next(args);
        const input = args.input as { Statements: { Parameters: unknown[] }[] };
        const sent = await Promise.all(
          input.Statements.map(async (statement) => {
            const n = items.findIndex(({ item }) => JSON.stringify(statement).includes(`"${item.version}"`));
            const attempt = attempts[n] ?? 0;
            attempts[n] = attempt + 1;
            const fate = fates[attempt]?.[n] ?? "passed";
            if (fate === "overtaken") await putItem(direct, { ...items[n]?.key, version: `other ${n}` } as never);
            return { statement, fate };
          }),
        );
        const passedOn = sent.filter(({ fate }) => isExecuted(fate));
        const Statements = passedOn.map(({ statement }) => statement);
        const answer = Statements.length === 0 ? undefined : await next({ ...args, input: { ...input, Statements } });
        const results = ((answer?.output as { Responses?: Result[] } | undefined)?.Responses ?? []).values();
        const responses = sent.map(({ fate }) => {
          const result = isExecuted(fate) ? results.next().value : undefined;
          if (isExecuted(fate) && result?.Error === undefined) executed++;
          if (fate === "executed without result" || fate === "without result") return undefined;
          return ERRORS[fate] ?? result;
        });
        return {
          response: answer?.response,
          output: { ...answer?.output, $metadata: answer?.output.$metadata ?? { attempts: 1 }, Responses: responses },
        } as never;
      },
    { step: "initialize", name: "fates" },
  );
  return { client, executed: () => executed };
};

describe("a batch of 25", () => {
  it("is one call for the items of one turn, new ones and changed ones", async () => {
    const items = await newItems();
    const { results, versions } = await replaceAll(engine.clientAt(proxy.url), items);
    expect(results).toEqual(BATCH.map(() => true));
    expect(versions).toEqual(seconds);
    expect(proxy.requests().map(({ operation, resource }) => [operation, resource])).toEqual([
      ["BatchExecuteStatement", NAME],
    ]);
  });

  it.each(sampleOf(FATES, 3))("loses and doubles nothing if a statement is %s, whichever it is", async (fate) => {
    for (const place of BATCH) {
      const items = await newItems();
      const fates = withFates(items, [BATCH.map((n) => (n === place ? fate : "passed"))]);
      const { results, versions } = await replaceAll(fates.client, items);
      const isOvertaken = (n: number) => fate === "overtaken" && n === place;
      expect(results).toEqual(BATCH.map((n) => !isOvertaken(n)));
      expect(versions).toEqual(BATCH.map((n) => (isOvertaken(n) ? `other ${n}` : `second ${n}`)));
      expect(fates.executed()).toBe(BATCH.filter((n) => !isOvertaken(n)).length);
    }
  });

  it("answers each caller by what is stored, whatever happens to the statements of three attempts", async () => {
    const fate = fc.constantFrom(...FATES);
    const batch = fc.array(fate, { minLength: 25, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 3, maxLength: 3 }), async (drawn) => {
        const items = await newItems();
        const fates = withFates(items, drawn);
        const { results, versions } = await replaceAll(fates.client, items);
        expect(versions.map((version, n) => version === `second ${n}`)).toEqual(results);
        expect(versions.map((version, n) => version === `second ${n}` || version === `other ${n}`)).not.toContain(
          false,
        );
      }),
      { numRuns: depth(8, 300) },
    );
  });

  it("counts as written if the answer to the whole call is lost", async () => {
    const items = await newItems();
    await putItem(direct, { ...items[3]?.key, version: "other" } as never);
    proxy.use(followPlan({ call: `dynamodb:BatchExecuteStatement:${NAME}#1`, fault: "lost_reset", times: "once" }));
    const { results, versions } = await replaceAll(engine.clientAt(proxy.url), items);
    expect(results).toEqual(BATCH.map((n) => n !== 3));
    expect(versions).toEqual(seconds.with(3, "other"));
    expect(proxy.requests().map(({ operation }) => operation)).toEqual([
      "BatchExecuteStatement",
      "BatchExecuteStatement",
      "BatchGetItem",
    ]);
  });

  it("fails only the items that are throttled eight times", async () => {
    const items = await newItems();
    proxy.use(
      followPlan({ call: `dynamodb:BatchExecuteStatement:${NAME}#1`, fault: "throttled_statements", times: "always" }),
    );
    const { results, versions } = await replaceAll(engine.clientAt(proxy.url), items);
    // The fault fails the last half of each call: 13, 7, 4, 2, 1, 1, 1 and 1 statements.
    expect(results.slice(0, 24)).toEqual(BATCH.slice(0, 24).map(() => true));
    expect(results[24]).toMatchObject({ code: "store_unavailable" });
    expect(versions).toEqual(seconds.with(24, undefined as never));
    expect(proxy.requests()).toHaveLength(8);
  });

  it("fails as a whole if the store does not answer", async () => {
    const items = await newItems();
    proxy.use(followPlan({ call: `dynamodb:BatchExecuteStatement:${NAME}#1`, fault: "500", times: "always" }));
    const { results } = await replaceAll(engine.clientAt(proxy.url), items);
    for (const result of results) expect(result).toMatchObject({ code: "store_unavailable" });
  });

  it.each([
    ["is too large", "x".repeat(500_000)],
    ["is not well-formed Unicode", "\ud800"],
  ])("fails only the item that %s", async (_why, text) => {
    const items = await newItems();
    const poisoned = items.map((one, n) => (n === 7 ? { ...one, item: { ...one.item, text } } : one));
    const { results, versions } = await replaceAll(engine.documentClient(), poisoned);
    expect(results.map(isItemRefused)).toEqual(BATCH.map((n) => n === 7));
    expect(versions).toEqual(seconds.with(7, "first 7"));
  });
});

describe("the writes of one turn", () => {
  it("are split into batches of 25 with at most one statement for an item", async () => {
    const client = engine.clientAt(proxy.url);
    const replace = replaceInBatches(createTable<typeof NAME>(client, NAME), "version");
    const scope = `scope ${++scopes}`;
    const write = (n: number, version: string) => {
      const key = { scope, key: String(n) };
      return replace({ key, item: { ...key, version }, previous: undefined });
    };
    const first = rangeOf(60).map((n) => write(n, "a"));
    const second = [write(59, "b"), write(60, "b")];
    const results = await Promise.all([...first, ...second]);
    // One of the two writes of item 59 comes first.
    expect([...results.slice(0, 59), results[61]]).toEqual(rangeOf(60).map(() => true));
    expect(results[59]).toBe(results[60] !== true);
    const sizes = proxy
      .requests()
      .map(({ json }) => (json as { Statements: unknown[] }).Statements.length)
      .toSorted((one, other) => one - other);
    expect(sizes).toEqual([2, 10, 25, 25]);
  });

  it("are put by a call of its own if there is only one", async () => {
    const items = (await newItems()).slice(0, 1);
    await replaceAll(engine.clientAt(proxy.url), items);
    expect(proxy.requests().map(({ operation }) => operation)).toEqual(["PutItem"]);
  });
});
