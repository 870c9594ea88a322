import { describe, expect, it } from "@jest/globals";
import { advance, cursorAt, isBackdated } from "../../../shared/sync/feed-cursor.ts";

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

describe("the time at which the feed was read", () => {
  it("is that of the first page, even if the feed is empty", () => {
    const first = advance(undefined, cursorAt(event(1), 50), [event(3), event(2)], 100);
    expect(first).toMatchObject({ createdSeconds: 3, readAt: 100 });
    expect(advance(first, cursorAt(event(1), 50), [event(1)], 101)).toMatchObject({ createdSeconds: 3, readAt: 100 });
    expect(advance(undefined, cursorAt(event(1), 50), [], 100)).toMatchObject({ createdSeconds: 1, readAt: 100 });
    expect(advance(undefined, cursorAt(event(1), 50), [event(2)])).not.toHaveProperty("readAt");
  });
});
