import { describe, expect, it } from "@jest/globals";
import type { Coverage, HourIntegrity, Integrity } from "../../../functions/console/app/api/types.ts";
import {
  monthsUntil,
  unequalDays,
  verdictOfMonth,
} from "../../../functions/console/app/views/integrity/coverage-words.ts";
import {
  sealedSpanOf,
  stretchesOf,
  verdictOf,
} from "../../../functions/console/app/views/integrity/integrity-words.ts";
import { spanOf } from "../../../functions/console/app/views/integrity/span.ts";

const HOUR = 3_600_000;
const now = Date.UTC(2026, 10, 20, 14, 25);

const hours = (...statuses: HourIntegrity["status"][]): HourIntegrity[] =>
  statuses.map((status, i) => ({ hour: i * HOUR, count: 2, version: 1, status }));

const words = (log: Integrity["log"], ...statuses: HourIntegrity["status"][]): string => {
  const { word, text } = verdictOf({ hours: hours(...statuses), publicKey: "", log });
  return `${word}: ${text}`;
};

describe("the span", () => {
  it("ends with the last whole hour", () => {
    expect(spanOf({}, now)).toEqual({ since: Date.UTC(2026, 10, 19, 14), until: Date.UTC(2026, 10, 20, 14) });
    expect(spanOf({ period: "7d" }, now).since).toBe(Date.UTC(2026, 10, 13, 14));
  });

  it("has all of the hours that the chosen times touch, and a day if one of them is missing", () => {
    const since = "2026-11-20T09:30:00Z";
    expect(spanOf({ since, until: "2026-11-20T11:01:00Z" }, now)).toEqual({
      since: Date.UTC(2026, 10, 20, 9),
      until: Date.UTC(2026, 10, 20, 12),
    });
    expect(spanOf({ since }, now).until).toBe(Date.UTC(2026, 10, 20, 14));
    expect(spanOf({ until: "2026-11-20T11:00:00Z" }, now)).toEqual({
      since: Date.UTC(2026, 10, 19, 11),
      until: Date.UTC(2026, 10, 20, 11),
    });
  });
});

describe("hours that are not verified", () => {
  it("stand together if they follow each other and the same is to be said of them, the newest first", () => {
    const found = hours("not_sealed", "not_sealed", "verified", "broken", "broken", "not_sealed");
    const [, , , first, second] = found;
    if (first !== undefined && second !== undefined) [first.problem, second.problem] = ["One.", "Two."];
    expect(
      stretchesOf(found).map(({ since, until, text, events }) => [since / HOUR, until / HOUR, text, events]),
    ).toEqual([
      [5, 6, "Before the first hour of the log, or not sealed yet.", 2],
      [4, 5, "Two.", 2],
      [3, 4, "One.", 2],
      [0, 2, "Before the first hour of the log, or not sealed yet.", 4],
    ]);
  });
});

describe("the verdict", () => {
  it("names what is gravest", () => {
    expect(words("consistent", "verified", "verified")).toBe("Whole: All 2 hours are verified.");
    expect(words("consistent", "verified", "not_sealed")).toMatch(/^Incomplete: .* 1 of 2 hours is verified\.$/);
    expect(words("consistent", "expired", "verified")).toMatch(/^Incomplete: /);
    expect(words("consistent", "not_sealed")).toBe("Not sealed: No hour of this period is sealed.");
    expect(words("consistent", "verified", "broken", "not_sealed")).toMatch(/^Broken: .* 1 hour is broken\.$/);
    expect(words("broken", "verified")).toBe(
      "Broken: The evidence does not hold. The log is not what its newest checkpoint signs.",
    );
  });
});

it("a proof is of the hours from the first sealed one to the last", () => {
  expect(sealedSpanOf(hours("not_sealed", "verified", "not_sealed", "broken", "not_sealed"))).toEqual({
    since: HOUR,
    until: 4 * HOUR,
  });
  expect(sealedSpanOf(hours("not_sealed"))).toBeUndefined();
});

describe("the sums of a month", () => {
  const day = { day: "2026-11-01", recorded: 5, counted: 5, sealed: 5, archived: 5, judgedHours: 24, notJudged: [] };
  const month = (isWhole: boolean, ...days: object[]): Coverage => ({
    days: days.map((changes) => Object.assign({}, day, changes)),
    rules: {},
    isWhole,
  });

  it("are compared with what was recorded, the archive only if there is one", () => {
    const found = month(false, {}, { counted: 4 }, { sealed: 6 }, { archived: 0 }, { fed: 3 }, { fed: 4 });
    // The fifth is the day on which the feed began.
    expect(unequalDays(found)).toEqual([1, 2, 3, 5].map((i) => found.days[i]));
    expect(unequalDays(month(false, { archived: 0 }, { archived: 0, sealed: 4 }))).toHaveLength(1);
    expect(unequalDays(month(true, { sealed: 4 }))).toEqual([]);
  });

  it("are whole, unequal or missing", () => {
    expect(verdictOfMonth(month(true, {}, { archived: 0 })).text).toContain("counted, sealed and archived");
    expect(verdictOfMonth(month(true, { archived: 0 })).text).toMatch(/^On 1 day.* counted and sealed as/);
    expect(verdictOfMonth(month(false, {})).word).toBe("Incomplete");
    expect(verdictOfMonth(month(false, { sealed: 4 })).word).toBe("Unequal");
    expect(verdictOfMonth(month(true)).word).toBe("No sums");
  });

  it("can be chosen for this month and the twelve before it", () => {
    const months = monthsUntil(Date.UTC(2026, 0, 31, 23));
    expect([months.length, months[0], months[1], months.at(-1)]).toEqual([13, "2026-01", "2025-12", "2025-01"]);
  });
});
