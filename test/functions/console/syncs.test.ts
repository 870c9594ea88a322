import { describe, expect, it } from "@jest/globals";
import { withFirstPage, withItem, withPage } from "../../../functions/console/app/api/merge-pages.ts";
import type { SyncRun } from "../../../functions/console/app/api/types.ts";
import {
  differences,
  expectedOf,
  isComplete,
  oneSided,
  verdictOf,
} from "../../../functions/console/app/views/syncs/completeness.ts";
import { healedSentence, setAsideSentence } from "../../../functions/console/app/views/syncs/run-words.ts";

const of = (...ids: number[]) => ids.map((id) => ({ id: String(id) }));
const idsOf = (pages: readonly { items: readonly { id: string }[] }[]) =>
  pages.map(({ items }) => items.map(({ id }) => Number(id)));

describe("a list whose first page is read again", () => {
  const pages = [
    { items: of(9, 8, 7), next: "c7", cursor: undefined },
    { items: of(6, 5, 4), next: "c4", cursor: "c7" },
  ];

  it("keeps older pages, and what moved out of the first page", () => {
    const again = withFirstPage(pages, { items: of(11, 10, 9), next: "c9" });
    expect(idsOf(again)).toEqual([
      [11, 10, 9, 8, 7],
      [6, 5, 4],
    ]);
    expect(again.map(({ next }) => next)).toEqual(["c7", "c4"]);
    expect(idsOf(withFirstPage(again, { items: of(12, 11, 10), next: "c10" }))).toEqual([
      [12, 11, 10, 9, 8, 7],
      [6, 5, 4],
    ]);
  });

  it("loses what is no longer in the first page", () => {
    expect(idsOf(withFirstPage(pages, { items: of(9, 7, 6), next: "c6" }))).toEqual([
      [9, 7, 6],
      [5, 4],
    ]);
    expect(idsOf(withFirstPage(pages, { items: of(9), next: undefined }))).toEqual([[9]]);
    expect(idsOf(withFirstPage(pages, { items: [], next: "c" }))).toEqual([[], [6, 5, 4]]);
    expect(idsOf(withFirstPage(pages, { items: [], next: undefined }))).toEqual([[]]);
  });

  it("begins again if more came than one page has", () => {
    const again = withFirstPage(pages, { items: of(15, 14, 13), next: "c13" });
    expect(again).toEqual([{ items: of(15, 14, 13), next: "c13", cursor: undefined }]);
  });

  it("shows an item in another state where it was, and a new one first", () => {
    expect(withItem(pages, { id: "5", status: "waiting" } as { id: string })[1]?.items[1]).toEqual({
      id: "5",
      status: "waiting",
    });
    expect(idsOf(withItem(pages, { id: "10" }))).toEqual([
      [10, 9, 8, 7],
      [6, 5, 4],
    ]);
  });

  it("replaces an older page by what its cursor gives now, each item once", () => {
    const again = withPage(pages, { items: of(7, 6, 3), next: "c3", cursor: "c7" });
    expect(idsOf(again)).toEqual([
      [9, 8, 7],
      [6, 3],
    ]);
  });
});

describe("the completeness of a run", () => {
  const equal = { listed: 3, stored: 3, onlyListed: [], onlyStored: [] };
  const run = (customers: object): SyncRun => ({
    id: "1",
    mode: "full",
    status: "succeeded",
    trigger: "manual",
    startedAt: 1,
    progress: {
      customers: { read: 3, written: 0 },
      subscriptions: { read: 0, written: 0 },
      invoices: { read: 0, written: 0 },
      payments: { read: 0, written: 0 },
      refunds: { read: 0, written: 0 },
      disputes: { read: 0, written: 0 },
      payouts: { read: 0, written: 0 },
    },
    completeness: { customers: { ...equal, ...customers }, subscriptions: equal, invoices: equal, payments: equal },
  });

  it("needs the same objects on both sides, not only the same number", () => {
    expect(isComplete(run({}))).toBe(true);
    expect(isComplete(run({ onlyListed: ["a"], onlyStored: ["b"] }))).toBe(false);
    expect(isComplete(run({ listed: 4 }))).toBe(false);
    const { completeness: _, ...incremental } = run({});
    expect(isComplete(incremental)).toBeUndefined();
    expect(differences(run({ listed: 4, setAside: 1 }))?.[0]).toMatchObject({ type: "customers", setAside: 1 });
  });

  it.each([
    [{}, "Complete"],
    [{ listed: 1_004 }, "1,001 missing here"],
    [{ stored: 4, setAside: 1 }, "1 more here, 1 set aside"],
    [{ onlyListed: ["a"], onlyStored: ["b"] }, "The same number, but other objects"],
  ])("says how %j differs", (customers, verdict) => {
    expect(differences(run(customers))?.map(verdictOf)[0]).toBe(verdict);
  });

  it("lists the objects that only one side has", () => {
    const [one] = differences(run({ onlyListed: Array(100).fill("a"), onlyStored: ["b"] })) ?? [];
    expect(one && oneSided(one).map(({ isHere, text }) => [isHere, text])).toEqual([
      [false, "100 or more customers are at the provider only"],
      [true, "1 customers are here only"],
    ]);
    expect(differences(run({}))?.flatMap(oneSided)).toEqual([]);
  });

  it("says what webhooks had missed, and what was set aside", () => {
    expect([undefined, 0, 2].map((healed) => healedSentence({ ...(healed !== undefined && { healed }) }))).toEqual([
      undefined,
      "Webhooks had delivered every change.",
      "2 changes that no webhook had delivered. This run found them.",
    ]);
    expect([setAsideSentence({}), setAsideSentence({ setAside: 0 })]).toEqual([undefined, undefined]);
    expect(setAsideSentence({ setAside: 3 })).toMatch(/^3 objects that cannot be stored/);
  });

  it("says how much a later full run will read", () => {
    expect(expectedOf({ ...run({}), id: "2" }, [run({ listed: 9 })])).toMatchObject({ customers: 9, payments: 3 });
    expect(expectedOf({ ...run({}), id: "2", mode: "incremental" }, [run({})])).toBeUndefined();
    expect(expectedOf(run({}), [run({})])).toBeUndefined();
  });
});
