import { expect, it } from "@jest/globals";
import { nextOccurrence } from "../../../shared/sync/next-occurrence.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;
const SLOT = Date.UTC(2026, 10, 21, 8);

it.each([
  ["right after an occurrence", 0, 4],
  ["before the next one", 4 * HOUR - 1, 4],
  ["while the event of the next one is late", 4 * HOUR + 10 * MINUTE - 1, 4],
  ["after an occurrence was lost", 4 * HOUR + 10 * MINUTE, 8],
  ["after many were lost", 25 * HOUR, 28],
  ["if the clock was set back", -HOUR, 4],
])("%s the schedule is due at the right time", (_when, after, hours) => {
  const clocked = { now: SLOT + after, intervalMs: 4 * HOUR };
  // The connection is older than the occurrence, and says nothing more.
  for (const known of [{ slot: SLOT }, { slot: SLOT, assumedAt: SLOT }])
    expect(nextOccurrence(known, SLOT - 30 * HOUR, clocked)).toBe(SLOT + hours * HOUR);
});

it("is due within an interval of connecting, or of the schedule's start, before the first occurrence", () => {
  const clocked = { now: SLOT + HOUR, intervalMs: 4 * HOUR };
  const start = { slot: SLOT, isStart: true };
  expect(nextOccurrence(undefined, SLOT, clocked)).toBe(SLOT + 4 * HOUR);
  expect(nextOccurrence(start, SLOT - HOUR, clocked)).toBe(SLOT + 3 * HOUR);
  expect(nextOccurrence(start, SLOT + HOUR, clocked)).toBe(SLOT + 4 * HOUR);
  expect(nextOccurrence(undefined, SLOT - 9 * HOUR, clocked)).toBe(SLOT + 3 * HOUR);
  expect(nextOccurrence(undefined, undefined, clocked)).toBeUndefined();
});
