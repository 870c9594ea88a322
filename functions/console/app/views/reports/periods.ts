/** The periods of reports in words. Periods are days, weeks and months of UTC, whatever the user's time zone. Pure. */
import type { ReportEntry } from "../../api/types.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 5 January 1970, the first Monday of the epoch. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export const kinds = {
  compliance: "Daily compliance report",
  review: "Weekly security review",
  month: "Monthly report",
} as const satisfies Record<ReportEntry["kind"], string>;

const day = (language: string | undefined) =>
  new Intl.DateTimeFormat(language, {
    timeZone: "UTC",
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });

const shortDay = (language: string | undefined) =>
  new Intl.DateTimeFormat(language, { timeZone: "UTC", day: "numeric", month: "long", year: "numeric" });

const month = (language: string | undefined) =>
  new Intl.DateTimeFormat(language, { timeZone: "UTC", month: "long", year: "numeric" });

/** Such as "Saturday, November 21, 2026", "November 16 – 22, 2026" or "November 2026". */
export const periodOf = (
  { kind, from, to }: Pick<ReportEntry, "kind" | "from" | "to">,
  language: string | undefined,
): string => {
  if (kind === "month") return month(language).format(from);
  return kind === "compliance" ? day(language).format(from) : shortDay(language).formatRange(from, to - DAY_MS);
};

/** When the first reports are there at the latest, if anything happens today: within the hour after their period. */
export const firstReports = (now: number): { daily: number; weekly: number } => ({
  daily: Math.floor(now / DAY_MS) * DAY_MS + DAY_MS + HOUR_MS,
  weekly: Math.floor((now - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS + WEEK_MS + HOUR_MS,
});
