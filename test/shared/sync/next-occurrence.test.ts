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
  expect(nextOccurrence({ slot: SLOT }, SLOT + after, 4 * HOUR)).toBe(SLOT + hours * HOUR);
  expect(nextOccurrence({ slot: SLOT, assumedAt: SLOT }, SLOT + after, 4 * HOUR)).toBe(SLOT + hours * HOUR);
});

it("is unknown before the first occurrence", () => {
  expect(nextOccurrence(undefined, SLOT, 4 * HOUR)).toBeUndefined();
  expect(nextOccurrence({ slot: SLOT, isStart: true }, SLOT, 4 * HOUR)).toBeUndefined();
});
