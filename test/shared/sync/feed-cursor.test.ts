import { describe, expect, it } from "@jest/globals";
import { advance, cursorAt, isBackdated } from "../../../shared/sync/feed-cursor.ts";
import { beginFullRun, readFeed } from "../../../shared/sync/read-feed.ts";
import { providerErrors } from "../../support/fake-provider.ts";
import { contextWith, runWith } from "./step.ts";

const READ_AT = 10_000;
const event = (createdSeconds: number) => ({ id: `evt_${createdSeconds}`, createdSeconds });

describe("an event", () => {
  it.each<[newest: number | undefined, created: number, isBackdated: boolean, because: string]>([
    [9_000, 8_999, false, "is known to be old"],
    [9_000, 9_000, true, "may have come after the one that the feed had of that second"],
    [9_000, 9_001, true, "was not there when the feed was read later than that"],
    [9_000, 9_939, true, "was not there a minute and a second later"],
    [9_000, 9_940, false, "may have been a minute late"],
    [9_000, 10_001, false, "is of later"],
    [undefined, 1, true, "was not there when the feed was empty"],
  ])("after %j, of %j: backdated is %j, because it %s", (newest, created, expected) => {
    const cursor = cursorAt(newest === undefined ? undefined : event(newest), READ_AT);
    expect(isBackdated(cursor, event(created))).toBe(expected);
    const { readAt: _, ...unread } = cursor;
    expect(isBackdated(unread, event(created))).toBe(false);
  });

  it("in the cursor's second is backdated, whatever other events the cursor has counted", () => {
    const cursor = advance(undefined, cursorAt(undefined), [event(9_000)], READ_AT);
    expect(isBackdated(cursor, { id: "evt_other", createdSeconds: 9_000 })).toBe(true);
    expect(isBackdated(cursor, { id: "evt_older", createdSeconds: 8_999 })).toBe(false);
  });
});

it("keeps the digests of at most 1,000 events of the last minute", () => {
  const events = Array.from({ length: 1_001 }, (_, i) => ({ id: `evt_${i}`, createdSeconds: 9_000 - (i % 2) * 60 }));
  const { known } = advance(undefined, cursorAt(undefined), events);
  expect(known).toHaveLength(8 * 1_000);
  expect(advance(undefined, cursorAt(undefined), [...events.slice(0, 2), event(8_939)]).known).toBe(known.slice(0, 16));
});

describe("the time at which the feed was read", () => {
  it("is when the first page was asked for, not when a slow answer came, also of an empty feed", async () => {
    const listEvents = async () => ({ items: [], next: undefined, observedAt: { from: 100, to: 160 } });
    const context = contextWith({
      provider: { ...contextWith({}).provider, listEvents },
      apply: async () => ({ written: {}, setAside: [] }),
      countMoney: async () => undefined,
      cursor: cursorAt(undefined, 50),
    });
    const begun = runWith();
    const full = await beginFullRun({ ...context, cursor: undefined }, begun, begun.work.at);
    expect(full.work.feedStart).toEqual({ known: "", readAt: 100 });
    const run = { ...runWith(), mode: "incremental" as const };
    const { work } = await readFeed(context, run, { phase: "feed", hasMetKnown: false, restarts: 0 });
    expect(work.next).toEqual({ known: "", readAt: 100 });
  });

  it("is that of the first page, even if the feed is empty", () => {
    const first = advance(undefined, cursorAt(event(1), 50), [event(3), event(2)], 100);
    expect(first).toMatchObject({ createdSeconds: 3, readAt: 100 });
    expect(advance(first, cursorAt(event(1), 50), [event(1)], 101)).toMatchObject({ createdSeconds: 3, readAt: 100 });
    expect(advance(undefined, cursorAt(event(1), 50), [], 100)).toMatchObject({ createdSeconds: 1, readAt: 100 });
    expect(advance(undefined, cursorAt(event(1), 50), [event(2)])).not.toHaveProperty("readAt");
  });
});

describe("a page of the feed whose preceding event is gone", () => {
  const readAgain = (mode: "full" | "incremental", restarts: number) => {
    const gone = () => Promise.reject(providerErrors.missing());
    const cursor = cursorAt(event(9_000));
    const context = contextWith({ provider: { ...contextWith({}).provider, listEvents: gone }, cursor });
    const position = { phase: "feed", hasMetKnown: false, restarts, after: "evt_9" } as const;
    return readFeed(context, { ...runWith({ feedStart: cursor }), mode }, position);
  };

  it.each(["full", "incremental"] as const)("makes a %s run read the feed again, once", async (mode) => {
    const { mode: next, work } = await readAgain(mode, 0);
    expect([next, work.at]).toEqual([mode, { phase: "feed", hasMetKnown: false, restarts: 1 }]);
  });

  it("makes an incremental run a full one if it is gone again, and ends a full run", async () => {
    await expect(readAgain("incremental", 1)).resolves.toMatchObject({ mode: "full", work: { isCursorLost: true } });
    await expect(readAgain("full", 1)).rejects.toMatchObject({ reason: "missing" });
  });
});
