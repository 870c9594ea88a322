/** The comparison of both sides of one type, with both sides in memory. */
import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { compare } from "../../../shared/sync/compare.ts";
import type { RunContext } from "../../../shared/sync/run-context.ts";
import type { SyncWork } from "../../../shared/sync/sync-work.ts";
import { providerError } from "../../support/provider-errors.ts";
import { contextWith, customer, runWith, unusable } from "./step.ts";

const TYPE = "customers";
type Stored = { id: string; createdAt?: number; deleted?: boolean };

let lines: string[];
beforeEach(() => {
  lines = [];
  jest.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
});
afterEach(() => void jest.restoreAllMocks());

/** Both sides, what the comparison reads again and applies, and how often it kept the lease. */
const createSides = (listed: string[][], stored: Stored[], members: Partial<RunContext> = {}) => {
  const seen = { rereads: [] as string[], applied: [] as number[], sources: [] as string[], kept: 0, lists: 0 };
  const context = contextWith({
    pageIds: {
      put: async () => undefined,
      read: async () => [],
      async *readAll(list) {
        expect(list).toEqual({ organizationId: "acme", runId: "run_1", type: TYPE });
        seen.lists++;
        yield* listed;
      },
    },
    async *listIds(organizationId, type) {
      expect([organizationId, type]).toEqual(["acme", TYPE]);
      for (const { id, createdAt = 0, deleted = false } of stored) yield { id, createdAt, deleted };
    },
    reread: async (_type, id) => {
      seen.rereads.push(id);
      return customer(id, 0);
    },
    apply: async (observations, source) => {
      seen.applied.push(observations.length);
      seen.sources.push(source);
      return { written: { [TYPE]: observations.length > 0 ? 1 : 0 }, setAside: [] };
    },
    keepLease: async () => void seen.kept++,
    ...members,
  });
  const run = (work: Partial<SyncWork> = {}) =>
    compare(context, runWith({ at: { phase: "compare", type: TYPE }, ...work }), { phase: "compare", type: TYPE });
  return { seen, run };
};

const ids = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe("the comparison of a type", () => {
  it("that is equal on both sides reads each side once and nothing again", async () => {
    const { seen, run } = createSides([["a"], ["b"]], [{ id: "a" }, { id: "b" }]);
    const { work, progress } = await run({ rereads: 3 });
    expect(work).toMatchObject({ rereads: 3, at: { phase: "compare", type: "subscriptions" } });
    expect(work.completeness).toEqual({ customers: { listed: 2, stored: 2, onlyListed: [], onlyStored: [] } });
    expect(seen).toMatchObject({ rereads: [], lists: 1, kept: 2 });
    expect(progress.customers).toEqual({ read: 0, written: 0 });
  });

  it("reads objects on one side only again, stored ones first, and reports what remains", async () => {
    const { seen, run } = createSides(
      [["both", "listed", "gone"]],
      [{ id: "both" }, { id: "stored" }, { id: "gone", deleted: true }, { id: "other", deleted: true }],
    );
    const { work, progress } = await run();
    expect(seen).toMatchObject({ rereads: ["stored", "listed"], applied: [2], sources: ["feed"], lists: 2 });
    expect(work.completeness).toEqual({
      customers: { listed: 3, stored: 2, onlyListed: ["listed"], onlyStored: ["stored"] },
    });
    expect(work.rereads).toBe(2);
    expect(progress.customers).toEqual({ read: 2, written: 1 });
  });

  it.each([
    [9_999, true],
    [10_000, false],
    [10_001, false],
  ])("with a list complete before second 10: an object of %i ms must be listed: %s", async (createdAt, isMissing) => {
    const { seen, run } = createSides([], [{ id: "new", createdAt }]);
    const { work } = await run({ lists: { [TYPE]: { pages: 1, bound: 10 } } });
    expect(seen.rereads).toEqual(isMissing ? ["new"] : []);
    expect(work.completeness[TYPE]).toMatchObject({ stored: 1, onlyStored: isMissing ? ["new"] : [] });
  });

  it("counts objects that are set aside, and does not read them again", async () => {
    const { seen, run } = createSides([["aside"]], [], { withoutSetAside: async () => [] });
    expect((await run({ lists: { [TYPE]: { pages: 1 } } })).work.completeness[TYPE]?.listed).toBe(1);
    const { work } = await run({ lists: { [TYPE]: { pages: 1, setAside: 2, nameless: 1 } } });
    expect(seen.rereads).toEqual([]);
    expect(work.completeness[TYPE]).toEqual({
      listed: 2,
      stored: 0,
      setAside: 2,
      onlyListed: ["aside"],
      onlyStored: [],
    });
    const { run: next } = createSides([], []);
    const one = await next({ lists: { [TYPE]: { pages: 1, setAside: 1 } } });
    expect(one.work.completeness[TYPE]?.setAside).toBe(1);
    const report = await next({ lists: { [TYPE]: { pages: 1, setAside: 0 } } });
    expect(report.work.completeness[TYPE]).not.toHaveProperty("setAside");
  });

  it("counts objects that cannot be read or applied", async () => {
    const { run } = createSides([["a", "b"]], [], {
      reread: async (_type, id) => (id === "a" ? unusable(id) : customer(id, 0)),
      apply: async (observations) => ({ written: {}, setAside: observations.map(({ id }) => unusable(id)) }),
    });
    const { work, progress } = await run();
    expect(work.setAside?.count).toBe(2);
    expect(progress.customers.read).toBe(1);
  });

  it("reports 100 ids of each side", async () => {
    const missing: Partial<RunContext> = { reread: async (_type, id) => unusable(id) };
    const { run } = createSides(
      [ids(101, "l")],
      ids(101, "s").map((id) => ({ id })),
      missing,
    );
    const { onlyListed, onlyStored } = (await run()).work.completeness[TYPE] ?? {};
    expect([onlyListed?.length, onlyStored?.length]).toEqual([100, 100]);
  });

  it.each([
    [0, 500, 500],
    [490, 10, 500],
    [500, 0, 500],
    [523, 0, 523],
  ])("reads at most 500 objects again in a run: after %i of other types %i", async (before, read, rereads) => {
    const { seen, run } = createSides([ids(510, "l")], []);
    const { work } = await run({ rereads: before });
    expect(seen.rereads).toHaveLength(read);
    expect(work.rereads).toBe(rereads);
    expect(work.at).toEqual({ phase: "compare", type: "subscriptions" });
  });

  it("applies 25 objects at a time, and continues later if the time runs short", async () => {
    let looks = 0;
    // Once for the page of ids, then before each chunk.
    const { seen, run } = createSides([ids(60, "l")], [], { isTimeShort: () => ++looks > 3 });
    const { work, progress } = await run({ rereads: 1 });
    expect(progress.customers.read).toBe(50);
    expect(seen.applied).toEqual([25, 25]);
    expect(work).toMatchObject({ rereads: 51, at: { phase: "compare", type: TYPE }, completeness: {} });
    const { seen: whole, run: again } = createSides([ids(60, "l")], []);
    await again();
    expect(whole.applied).toEqual([25, 25, 10]);
  });

  it("compares no sides after the time ran short between chunks, however small the sides are", async () => {
    let looks = 0;
    const { run } = createSides(
      [],
      ids(60, "s").map((id) => ({ id })),
      { isTimeShort: () => ++looks === 2 },
    );
    expect((await run()).work).toMatchObject({ rereads: 25, at: { phase: "compare", type: TYPE }, completeness: {} });
  });

  it("stops reading if the provider fails, keeps what it read, and is complete all the same", async () => {
    const failure = providerError("network");
    let reads = 0;
    const reread: RunContext["reread"] = async (_type, id) => {
      if (++reads > 2) throw failure;
      return customer(id, 0);
    };
    const { seen, run } = createSides([ids(60, "l")], [], { reread });
    const { work, progress } = await run();
    expect([reads, seen.applied]).toEqual([3, [2]]);
    expect(progress.customers.read).toBe(2);
    expect(work.rereads).toBeGreaterThanOrEqual(500);
    expect(work.completeness[TYPE]?.onlyListed).toHaveLength(60);
  });

  it("fails with any other error", async () => {
    const { run } = createSides([["a"]], [], { reread: async () => Promise.reject(new TypeError("fault")) });
    await expect(run()).rejects.toThrow("fault");
  });
});

describe("a comparison without time", () => {
  const many = ids(2_000, "s").map((id) => ({ id, deleted: true }));

  it("looks after each page of ids and after each 1,000 records, and keeps the lease there", async () => {
    let looks = 0;
    const { seen, run } = createSides([["a"], ["b"]], [...many, { id: "a" }, { id: "b" }], {
      isTimeShort: () => ++looks < 0,
    });
    await run();
    expect([looks, seen.kept]).toEqual([4, 4]);
    looks = 0;
    const { run: short } = createSides([], many.slice(1), { isTimeShort: () => ++looks < 0 });
    await short();
    expect(looks).toBe(1);
  });

  it.each([1, 2, 3, 4])("ends at look %i, and begins again in another invocation", async (last) => {
    let looks = 0;
    const { seen, run } = createSides([["a"], ["b"]], many, { isTimeShort: () => ++looks >= last });
    const { work } = await run();
    expect([looks, seen.rereads]).toEqual([last, []]);
    expect(work).toMatchObject({ at: { phase: "compare", type: TYPE }, completeness: {} });
    expect(work).not.toHaveProperty("isIncomparable");
  });

  it("is given up if no invocation has more time, and logs it", async () => {
    const { run } = createSides([["a"]], [], { isTimeShort: () => true, isFresh: true });
    expect((await run()).work).toMatchObject({ isIncomparable: true, at: { phase: "done" } });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: "warn", message: expect.stringContaining("too large"), runId: "run_1" }),
    ]);
  });

  it("keeps the objects that it read again if the second look is cut", async () => {
    let looks = 0;
    // The page of ids, the chunk, the page of ids again.
    const { seen, run } = createSides([["a"]], [], { isTimeShort: () => ++looks >= 3, isFresh: true });
    const { work } = await run();
    expect(seen.rereads).toEqual(["a"]);
    expect(work).toMatchObject({ rereads: 1, at: { phase: "compare", type: TYPE }, completeness: {} });
  });
});
