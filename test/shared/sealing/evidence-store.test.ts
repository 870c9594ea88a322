import { describe, expect, it } from "@jest/globals";
import { EMPTY_TREE, grow, leafHash, rootOf } from "../../../shared/evidence/merkle-tree.ts";
import { encodeHash } from "../../../shared/evidence/sealed-log.ts";
import { type Head, headIn, type LogState } from "../../../shared/sealing/evidence-item.ts";
import { createEvidenceStore, type NewVersion } from "../../../shared/sealing/evidence-store.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { HOUR, NOW } from "../../support/security-events.ts";
import { useDatabase } from "../../support/use-table.ts";

const database = useDatabase("evidence");
const time = { now: NOW };
const store = createEvidenceStore(database.table("evidence"), () => time.now);

const collect = async <Element>(all: AsyncIterable<Element>): Promise<Element[]> => {
  const found: Element[] = [];
  for await (const one of all) found.push(one);
  return found;
};

const START = NOW - (NOW % HOUR);
const hashes = (count: number, of = "h") => Array.from({ length: count }, (_, index) => leafHash(`${of} ${index}`));
const frontierOf = (size: number) => {
  const { subtrees } = grow(EMPTY_TREE, hashes(size));
  return { size, subtrees: subtrees.map((hash) => Uint8Array.from(hash)) };
};

describe("the state of the log", () => {
  it("is written only over the state that was read", async () => {
    expect(await store.getState()).toBeUndefined();
    const first: Omit<LogState, "token"> = {
      start: START,
      ...frontierOf(3),
      origin: "example.com",
      secret: Uint8Array.of(1, 2),
      slots: 1_024,
      plan: { to: 3, isFull: false },
    };
    const stored = await store.putState(first, undefined);
    expect(await store.getState()).toEqual({ ...first, token: expect.any(String) });
    expect(await store.putState(first, undefined)).toBeUndefined();
    const next = { ...first, ...frontierOf(4), plan: undefined };
    expect(await store.putState(next, stored)).toBeDefined();
    expect(await store.putState(first, stored)).toBeUndefined();
    expect(await store.getState()).toMatchObject({ size: 4 });
    expect((await store.getState())?.plan).toBeUndefined();
  });

  it("has one worker at a time, until its lease expires or is released", async () => {
    const token = await store.takeLease(time.now + 1_000);
    expect(token).toBeDefined();
    expect(await store.takeLease(time.now + 1_000)).toBeUndefined();
    time.now += 1_000;
    const second = await store.takeLease(time.now + 1_000);
    expect(second).toBeDefined();
    await store.releaseLease(String(token));
    expect(await store.takeLease(time.now + 1_000)).toBeUndefined();
    await store.releaseLease(String(second));
    expect(await store.takeLease(time.now + 1_000)).toBeDefined();
  });
});

describe("the leaves of the log", () => {
  it("are listed in order, and the same leaf may be stored again", async () => {
    for (const index of [11, 2, 10, 9, 2]) await store.putLeaf(index, `leaf ${index}`);
    expect(await collect(store.listLeaves(9, 11))).toEqual(["leaf 9", "leaf 10"]);
    expect(await collect(store.listLeaves(0, 1_000))).toEqual(["leaf 2", "leaf 9", "leaf 10", "leaf 11"]);
    expect(await collect(store.listLeaves(0, 0))).toEqual([]);
  });

  it("have the hashes of all slots of the newest steps", async () => {
    const many = hashes(100_000, "many");
    await store.putSlots(7, hashes(1_024, "seven"));
    await store.putSlots(8, many);
    expect(rootOf(await store.getSlots(7))).toEqual(rootOf(hashes(1_024, "seven")));
    expect(rootOf(await store.getSlots(8))).toEqual(rootOf(many));
    await store.deleteSlotsBefore(8);
    expect(await store.getSlots(7)).toEqual([]);
    expect(await store.getSlots(8)).toHaveLength(100_000);
  });
});

const scope = organizationKey("acme");
const log = Uint8Array.from({ length: 16 }, (_, index) => index);
const summary = { count: 2, root: "r", erased: 0, erasedRoot: "e" };
const headOf = (size: number, step: number, before?: Head["before"]): Head => ({
  slot: 5,
  log,
  ...frontierOf(size),
  step,
  before,
});

describe("the versions of an hour", () => {
  const first: NewVersion = {
    scope,
    hour: { hour: START, version: 1, ...summary, step: 0 },
    late: [],
    record: "record 0",
    head: headOf(1, 0),
    previous: { version: undefined, head: undefined },
  };
  const before = { size: 1, root: rootOf(hashes(1)) };
  const second: NewVersion = {
    scope,
    hour: { hour: START, version: 2, ...summary, count: 3, step: 4 },
    late: ["id-3"],
    record: "record 1",
    head: headOf(2, 4, before),
    previous: { version: 1, head: first.head },
  };
  const other: NewVersion = {
    scope,
    hour: { hour: START + HOUR, version: 1, ...summary, step: 4 },
    late: ["id-9"],
    record: "record 2",
    head: headOf(3, 4, before),
    previous: { version: undefined, head: second.head },
  };

  it("are stored with their record and head, or not at all", async () => {
    expect(await store.getHour(scope, START)).toBeUndefined();
    expect(await store.putVersion(first)).toBe(true);
    expect(await store.putVersion(first)).toBe(false);
    expect(await store.putVersion({ ...second, previous: { version: 2, head: first.head } })).toBe(false);
    expect(await store.putVersion({ ...second, previous: { version: 1, head: undefined } })).toBe(false);
    expect(await store.getHead(scope)).toEqual({ ...first.head, before: undefined });
    expect(await store.putVersion(second)).toBe(true);
    expect(await store.putVersion(other)).toBe(true);
    expect(await store.getHour(scope, START)).toEqual({ ...second.hour, late: [[], ["id-3"]] });
    expect(await store.listHours(scope, START, START + HOUR)).toEqual([
      { ...second.hour, late: [[], ["id-3"]] },
      { ...other.hour, late: [["id-9"]] },
    ]);
    expect(await store.listHours(scope, START + HOUR, START + 9 * HOUR)).toHaveLength(1);
    expect(await collect(store.listRecords(scope))).toEqual(["record 0", "record 1", "record 2"]);
    expect(await collect(store.listRecords(scope, 2))).toEqual(["record 2"]);
    expect(await collect(store.listRecords(organizationKey("other")))).toEqual([]);
    expect(await store.listHeads()).toEqual(new Map([[scope, other.head]]));
  });

  it("give the organization's head in each step", () => {
    const named = { hour: START, log: encodeHash(log) };
    expect(headIn(first.head, 0, START)).toEqual({ ...named, size: 1, root: encodeHash(rootOf(hashes(1))) });
    expect(headIn(other.head, 3, START)).toEqual({ ...named, size: 1, root: encodeHash(before.root) });
    expect(headIn(other.head, 4, START)).toEqual({ ...named, size: 3, root: encodeHash(rootOf(hashes(3))) });
    expect(headIn(headOf(1, 2), 1, START)).toBeUndefined();
  });
});
