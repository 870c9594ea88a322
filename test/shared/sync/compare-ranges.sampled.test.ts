/** The comparison of a type that is too large for memory: range by range, over as many invocations as it needs. */
import { describe, expect, it } from "@jest/globals";
import { type compare, createCompare } from "../../../shared/sync/compare.ts";
import type { RunContext } from "../../../shared/sync/run-context.ts";
import { compareIds, createSmallestIds } from "../../../shared/sync/smallest-ids.ts";
import type { ActiveRun } from "../../../shared/sync/sync-item.ts";
import { type ComparePosition, SyncWork } from "../../../shared/sync/sync-work.ts";
import { depth } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createRandom } from "../../support/random.ts";
import { contextWith, customer, runWith } from "./step.ts";

quietLog();

const TYPE = "customers";

const utf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Both sides. `stored` is in the order of its keys. */
type Sides = { listed: () => Iterable<string[]>; stored: (after?: string) => Iterable<string> };

/** The context of a step, and how many records it has read. */
const contextOf = ({ listed, stored }: Sides, members: Partial<RunContext> = {}) => {
  const read = { records: 0 };
  const context = contextWith({
    pageIds: {
      put: async () => undefined,
      read: async () => [],
      async *readAll() {
        yield* listed();
      },
    },
    async *listIds(_organizationId, _type, { after, upTo } = {}) {
      for (const id of stored(after)) {
        if (after !== undefined && compareIds(id, after) <= 0) continue;
        if (upTo !== undefined && compareIds(id, upTo) > 0) return;
        read.records++;
        yield { id, createdAt: 0, deleted: false };
      }
    },
    ...members,
  });
  return { context, read };
};

const start = () => runWith({ at: { phase: "compare", type: TYPE }, rereads: 500 });

/** The run as the next invocation reads it; undefined if the type is compared. */
const positionOf = (run: ActiveRun): ComparePosition | undefined => {
  const { at } = run.work;
  return at.phase === "compare" && at.type === TYPE ? at : undefined;
};

const storedAndRead = (run: ActiveRun): ActiveRun => ({
  ...run,
  work: SyncWork.parse(JSON.parse(JSON.stringify(run.work))),
});

/** Takes steps until the type is compared. Each step is an invocation of its own. */
const compareAll = async (step: typeof compare, context: RunContext, from = start()) => {
  let run = from;
  let steps = 0;
  for (let at = positionOf(run); at !== undefined; at = positionOf(run)) {
    const before = run.work.completeness[TYPE]?.listed ?? 0;
    run = storedAndRead(await step({ ...context, isFresh: true }, run, at));
    steps++;
    expect(steps).toBeLessThan(1_000);
    expect(run.work.completeness[TYPE]?.listed).toBeGreaterThanOrEqual(before);
  }
  return { run, steps };
};

/** Random sides with ids of all planes of Unicode, in which the orders of UTF-8 and UTF-16 differ. */
const randomSides = (seed: number) => {
  const random = createRandom(seed);
  const int = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const letters = ["a", "b", "_", "é", "\uff5e", "\ufffd", "𝄞", "😀"];
  const all = new Set(
    Array.from({ length: int(0, 120) }, () =>
      Array.from({ length: int(1, 4) }, () => letters[int(0, letters.length - 1)]).join(""),
    ),
  );
  const listed = [...all].filter(() => int(0, 3) > 0);
  const stored = [...all].filter(() => int(0, 3) > 0).sort(utf8);
  const pages = Array.from({ length: Math.ceil(listed.length / 10) }, (_, page) =>
    listed.slice(page * 10, page * 10 + 10),
  );
  return { listed, stored, sides: { listed: () => pages, stored: () => stored } };
};

describe("comparing range by range", () => {
  it("finds what one look at both sides finds, whatever the order of the list", async () => {
    for (let seed = 0; seed < depth(60, 1_000); seed++) {
      const { listed, stored, sides } = randomSides(seed);
      const { run } = await compareAll(createCompare(7), contextOf(sides).context);
      const { onlyListed = [], onlyStored = [], ...counts } = run.work.completeness[TYPE] ?? {};
      expect(counts).toEqual({ listed: listed.length, stored: stored.length });
      expect([...onlyListed].sort(utf8)).toEqual(listed.filter((id) => !stored.includes(id)).sort(utf8));
      expect(onlyStored).toEqual(stored.filter((id) => !listed.includes(id)));
    }
  });

  it("compares millions of ids, and holds a bounded number of them", async () => {
    const count = depth(120_000, 2_000_000);
    const maxIds = count / 4;
    const idOf = (number: number) => `cus_${String((number * 7_919) % count).padStart(7, "0")}`;
    function* listed() {
      for (let page = 0; page < count; page += 10_000) {
        yield Array.from({ length: Math.min(10_000, count - page) }, (_, index) => idOf(page + index));
      }
    }
    const missing = Math.floor(count / 2);
    function* stored(after = "cus_-1") {
      for (let number = Number(after.slice("cus_".length)) + 1; number < count; number++) {
        if (number !== missing) yield `cus_${String(number).padStart(7, "0")}`;
      }
      yield "extra";
    }
    const { context, read } = contextOf({ listed, stored });
    const step: typeof compare = async (...given) => {
      const before = read.records;
      const after = await createCompare(maxIds)(...given);
      expect(read.records - before).toBeLessThanOrEqual(maxIds + 1);
      return after;
    };
    const { run, steps } = await compareAll(step, context);
    expect(run.work.completeness[TYPE]).toEqual({
      listed: count,
      stored: count,
      onlyListed: [`cus_${String(missing).padStart(7, "0")}`],
      onlyStored: ["extra"],
    });
    expect(steps).toBe(5);
  });

  it("reads at most one range of records a step, even if nothing is listed", async () => {
    const stored = Array.from({ length: 50 }, (_, number) => `s${number}`).sort(utf8);
    const { context, read } = contextOf({ listed: () => [], stored: () => stored });
    const { run, steps } = await compareAll(createCompare(10), context);
    expect(run.work.completeness[TYPE]).toMatchObject({ listed: 0, stored: 50, onlyStored: stored });
    // Each of four steps reads one record more, to know that more follow.
    expect([steps, read.records]).toEqual([5, 54]);
  });

  it("repeats one range after a crash, and gives nothing up that has been compared", async () => {
    const { sides, listed, stored } = randomSides(3);
    let reads = 0;
    let failAt = 1;
    const { context } = contextOf(sides, {
      keepLease: async () => {
        if (++reads === failAt) throw new Error("The function was killed.");
      },
    });
    let run = start();
    let crashes = 0;
    for (let at = positionOf(run); at !== undefined; at = positionOf(run)) {
      try {
        run = storedAndRead(await createCompare(7)(context, run, at));
      } catch {
        crashes++;
        failAt = reads + 13;
      }
    }
    expect(crashes).toBeGreaterThan(2);
    expect(run.work.completeness[TYPE]).toMatchObject({ listed: listed.length, stored: stored.length });
  });

  it("keeps its position if the time runs short, and gives up only if a whole invocation is too short", async () => {
    const { sides } = randomSides(3);
    const { context } = contextOf(sides);
    const at = { phase: "compare", type: TYPE } as const;
    const first = await createCompare(7)(context, start(), at);
    const position = positionOf(first);
    expect(position?.after).toBeDefined();
    const short = { ...context, isTimeShort: () => true };
    expect(await createCompare(7)(short, first, position ?? at)).toEqual(first);
    const { work } = await createCompare(7)({ ...short, isFresh: true }, first, position ?? at);
    expect(work).toMatchObject({ isIncomparable: true, at: { phase: "done" }, completeness: {} });
  });

  it("goes on with the rest if the last range grows beyond the limit while objects are read again", async () => {
    const stored = new Set(["b", "c", "d"]);
    const { context } = contextOf(
      { listed: () => [["a"]], stored: () => [...stored].sort(utf8) },
      {
        reread: async (_type, id) => customer(id, 0),
        apply: async (observations) => {
          for (const { id } of observations) stored.add(id);
          return { written: {}, setAside: [] };
        },
      },
    );
    const { run } = await compareAll(createCompare(3), context, runWith({ at: { phase: "compare", type: TYPE } }));
    expect(run.work.completeness[TYPE]).toMatchObject({ listed: 1, stored: 4, onlyListed: [] });
  });

  it.each([
    ["ranges that the list ends", ["f", "e", "d", "c", "b", "a"], ["b", "d", "f"], ["a", "c", "e"], 6],
    ["ranges that the records end", ["a", "z"], ["b", "c", "d"], ["b", "c", "a", "d", "z"], 5],
  ])(
    "reads objects of each range again, and looks at that range once more: %s",
    async (_what, listed, known, expected, all) => {
      const stored = new Set(known);
      const rereads: string[] = [];
      const { context } = contextOf(
        { listed: () => [listed], stored: () => [...stored].sort(utf8) },
        {
          reread: async (_type, id) => {
            rereads.push(id);
            return customer(id, 0);
          },
          apply: async (observations) => {
            for (const { id } of observations) stored.add(id);
            return { written: {}, setAside: [] };
          },
        },
      );
      const { run } = await compareAll(createCompare(2), context, runWith({ at: { phase: "compare", type: TYPE } }));
      expect(rereads).toEqual(expected);
      expect(run.work.completeness[TYPE]).toMatchObject({ listed: listed.length, stored: all, onlyListed: [] });
      expect(run.work.rereads).toBe(expected.length);
    },
  );
});

describe("the smallest ids", () => {
  it("are found in any order of the ids, and at most twice as many are held", () => {
    const count = depth(100_000, 2_000_000);
    for (const orderOf of [(n: number) => n, (n: number) => count - n, (n: number) => (n * 7_919) % count]) {
      const smallest = createSmallestIds(1_000);
      let held = 0;
      for (let number = 0; number < count; number++) {
        smallest.add(String(orderOf(number)).padStart(7, "0"));
        held = Math.max(held, smallest.size());
      }
      expect(held).toBeLessThan(2_000);
      expect(smallest.take().ids.size).toBe(1_000);
      expect(Number(smallest.take().last)).toBeLessThanOrEqual(1_000);
    }
  });

  it("are all of them if they are few", () => {
    const smallest = createSmallestIds(3);
    for (const id of ["c", "a", "c", "b"]) smallest.add(id);
    expect(smallest.take()).toEqual({ ids: new Set(["c", "a", "b"]), last: undefined });
  });
});
