import { describe, expect, it } from "@jest/globals";
import {
  type HourLeaf,
  leafOf,
  leavesOfHour,
  MAX_LATE_PER_VERSION,
  nextVersionOf,
  type SealableEvent,
  summaryOf,
} from "../../../shared/evidence/hour-leaves.ts";
import { leafHash, rootOf } from "../../../shared/evidence/merkle-tree.ts";
import { encodeHash, erasedRootOf, eventLeaf } from "../../../shared/evidence/sealed-log.ts";
import { rangeOf } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";

const stored = (id: string, isLate: boolean): SealableEvent => ({
  event: { id },
  salt: new Uint8Array(16).fill(id.length),
  isLate,
});
const leaf = (id: string, isLate: boolean): HourLeaf => leafOf(stored(id, isLate));
const idsOf = (leaves: readonly HourLeaf[]): string[] => leaves.map(({ id }) => id);

/** Batches of ids: those in time are there before the first version, the others come late, before any version. */
const history = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 0, maxLength: 30 })
  .chain((ids) => fc.tuple(fc.constant(ids), fc.array(fc.nat(4), { minLength: ids.length, maxLength: ids.length })))
  .map(([ids, batches]) => rangeOf(5).map((batch) => ids.filter((_, index) => batches[index] === batch)));

describe("the leaves of an hour", () => {
  it("keep their indexes in every later version, whatever comes late and in whatever order it is read", () => {
    fc.assert(
      fc.property(history, fc.func(fc.nat()), ([inTime = [], lateFirst = [], ...later], place) => {
        const events = [...inTime.map((id) => leaf(id, false)), ...lateFirst.map((id) => leaf(id, true))];
        const late: string[][] = [];
        const expected: string[] = [];
        for (const batch of [undefined, ...later]) {
          events.push(...(batch ?? []).map((id) => leaf(id, true)));
          events.sort((one, other) => place(one.id) - place(other.id));
          const before = late.length === 0 ? undefined : { late };
          const version = nextVersionOf(events, before);
          expected.push(...(batch ?? [...inTime, ...lateFirst]).toSorted());
          expect(idsOf(version.leaves)).toEqual(expected);
          expect(version.hasMore).toBe(false);
          late.push(version.late);
          const { leaves, pending, missing } = leavesOfHour(events, { late });
          expect([idsOf(leaves), pending, missing]).toEqual([expected, [], []]);
        }
      }),
    );
  });

  it("are none before the first version: all events are pending", () => {
    const events = [leaf("b", false), leaf("a", true)];
    expect(leavesOfHour(events, undefined)).toEqual({ leaves: [], pending: [events[1], events[0]], missing: [] });
  });

  it("name sealed late events that are gone, and late events that wait", () => {
    const events = [leaf("a", false), leaf("c", true), leaf("d", true)];
    expect(leavesOfHour(events, { late: [["b"], ["c"]] })).toEqual({
      leaves: [events[0], events[1]],
      pending: [events[2]],
      missing: ["b"],
    });
  });

  it("include an event that was added without the mark, so that the root differs", () => {
    const events = [leaf("a", false), leaf("c", true)];
    const sealed = { late: [["c"]] };
    const { root } = summaryOf(leavesOfHour(events, sealed).leaves);
    const added = leavesOfHour([...events, leaf("b", false)], sealed).leaves;
    expect(idsOf(added)).toEqual(["a", "b", "c"]);
    expect(summaryOf(added).root).not.toBe(root);
  });

  it("of more late events than a version takes wait for the next versions", () => {
    const ids = rangeOf(MAX_LATE_PER_VERSION * 2 + 1).map((index) => String(index).padStart(6, "0"));
    const events = ids.map((id) => leaf(id, true));
    const late: string[][] = [];
    const more: boolean[] = [];
    do {
      const version = nextVersionOf(events, late.length === 0 ? undefined : { late });
      late.push(version.late);
      more.push(version.hasMore);
    } while (more.at(-1));
    expect(more).toEqual([true, true, false]);
    expect(late.flat()).toEqual(ids);
    expect(idsOf(leavesOfHour(events, { late }).leaves)).toEqual(ids);
  });
});

describe("the summary of an hour", () => {
  const [one, two] = [stored("a", false), stored("b", false)];

  it("has the root over the leaves, and the empty root where nothing is erased", () => {
    expect(summaryOf([one, two].map(leafOf))).toEqual({
      count: 2,
      root: encodeHash(rootOf([eventLeaf(one.event, one.salt), eventLeaf(two.event, two.salt)])),
      erased: 0,
      erasedRoot: encodeHash(rootOf([])),
    });
  });

  it("keeps the root when an event is emptied, and names the erasure, the index and the emptied leaf", () => {
    const salt = new Uint8Array(16).fill(9);
    const emptied = { ...two, event: { id: "b", erased: true }, salt, hash: leafOf(two).hash, erasure: "e-1" };
    expect(summaryOf([one, emptied].map(leafOf))).toEqual({
      ...summaryOf([one, two].map(leafOf)),
      erased: 1,
      erasedRoot: encodeHash(erasedRootOf([{ index: 1, erasure: "e-1", event: eventLeaf(emptied.event, salt) }])),
    });
    const again = { ...emptied, erasure: "e-2" };
    expect(summaryOf([one, again].map(leafOf)).erasedRoot).not.toBe(summaryOf([one, emptied].map(leafOf)).erasedRoot);
  });

  it("hashes the salt before the canonical event, without what changes later", () => {
    const event = { id: "a", z: 1, b: "x", processed: true, processedAt: 3, alertGenerated: true, alertLevel: "HIGH" };
    expect(leafOf({ ...one, event }).hash).toEqual(leafHash(one.salt, '{"b":"x","id":"a","z":1}'));
  });
});
