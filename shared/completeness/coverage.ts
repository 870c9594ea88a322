/** The query and the answer of GET …/security/coverage. Pure. docs/evidence.md, "Coverage". */
import * as z from "zod/mini";
import { described } from "../json/described.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { DAY_MS, dayName, HOUR_MS, startOfDay, startOfMonth } from "../terms/hours.ts";
import { type DaySums, isWhole, rulesOf, SETTLED_AFTER_MS, unjudgedReasons } from "./day-sums.ts";

const MONTH = /^(?:19[7-9][0-9]|[2-9][0-9]{3})-(?:0[1-9]|1[0-2])$/;

const error = "expected a month, such as 2026-11";

export const CoverageQuery = z.object({
  month: z
    .string({ error })
    .check(z.regex(MONTH, { error }))
    .register(z.globalRegistry, {
      description: "A calendar month in UTC.",
      examples: ["2026-11"],
    }),
});
export type CoverageQuery = z.output<typeof CoverageQuery>;

const UnjudgedHour = z.object({
  hour: epochMs("the start of the hour."),
  reason: described(
    z.enum(unjudgedReasons),
    "`no_events`: nothing was to be judged; `due`: the hour is still to be judged; `not_judged`: it has events and is not due.",
  ),
});

const CoveredDay = z
  .object({
    day: z.string().register(z.globalRegistry, { description: "`YYYY-MM-DD`, in UTC.", examples: ["2026-11-21"] }),
    recorded: count("Events in the store."),
    counted: count("Events in the statistics."),
    sealed: count("Leaves of sealed hours."),
    archived: count("Lines in the archive; 0, and not compared, if the deployment has none."),
    fed: z.optional(count("Lines in the feed for a SIEM, since it was switched on; absent while it is off.")),
    judgedHours: count("Hours that detection has judged."),
    notJudged: described(z.array(UnjudgedHour), "The other hours of the day, oldest first."),
  })
  .register(z.globalRegistry, { id: "CoveredDay", description: "The sums of a day's events." });

export const Coverage = z
  .object({
    days: described(z.array(CoveredDay), "The days of the month that are over, oldest first."),
    rules: described(
      z.record(z.string(), z.array(z.number())),
      "The rules of detection that judged the hours, each with its versions.",
    ),
    isWhole: described(
      z.boolean(),
      "Whether the sums of each day are equal, and no day is missing that should have sums by now.",
    ),
  })
  .register(z.globalRegistry, { id: "Coverage", description: "Whether the events of a month are complete, as sums." });
export type Coverage = z.output<typeof Coverage>;

/** A day whose sums are not stored this long after its end, and the three hours, is missing. */
const MISSING_AFTER_MS = 12 * HOUR_MS;

/** The first and the last day of a month, epoch ms. */
export const daysOfMonth = (month: string): { first: number; last: number } => {
  const first = Date.parse(`${month}-01`);
  return { first, last: startOfMonth(first, 1) - DAY_MS };
};

const toCoveredDay = ([day, { recorded, counted, sealed, archived, fed, notJudged }]: [number, DaySums]) => {
  const open = unjudgedReasons
    .flatMap((reason) => (notJudged[reason] ?? []).map((hour) => ({ hour: day + hour * HOUR_MS, reason })))
    .sort((one, other) => one.hour - other.hour);
  return {
    day: dayName(day),
    recorded,
    counted,
    sealed,
    archived,
    ...(fed !== undefined && { fed }),
    judgedHours: 24 - open.length,
    notJudged: open,
  };
};

/**
 * @param stored the sums of days of the month, oldest first.
 * @param from the first day that has sums, epoch ms; undefined if none has.
 */
export const coverageOf = (
  month: string,
  stored: ReadonlyMap<number, DaySums>,
  { from, now }: { from: number | undefined; now: number },
): Coverage => {
  const { first, last } = daysOfMonth(month);
  const lastExpected = Math.min(last, startOfDay(now - SETTLED_AFTER_MS - MISSING_AFTER_MS) - DAY_MS);
  const firstExpected = Math.max(first, from ?? Number.POSITIVE_INFINITY);
  const expected = Math.max(0, (lastExpected - firstExpected) / DAY_MS + 1);
  const sums = [...stored.values()];
  const there = [...stored.keys()].filter((day) => day >= firstExpected && day <= lastExpected).length;
  return {
    days: [...stored].map(toCoveredDay),
    rules: rulesOf(sums),
    isWhole: sums.every(isWhole) && there >= expected,
  };
};
