/**
 * Reports on an organization's security: a compliance report for each UTC day, a review for each seven from Monday to
 * Sunday. Read report.ts next for what they say, make-report.ts for how they come about. Pure.
 */
import { DAY_MS, dayName, startOfDay } from "../terms/hours.ts";

export const reportKinds = ["compliance", "review"] as const;
export type ReportKind = (typeof reportKinds)[number];

/** `from` (inclusive) and `to` (exclusive): midnights, epoch ms. */
export type Period = { kind: ReportKind; from: number; to: number };

/** The days that a period of each kind has. */
const DAYS: Record<ReportKind, number> = { compliance: 1, review: 7 };

export const WEEK_MS = DAYS.review * DAY_MS;

/** Days that nobody made reports of, as the service was down, are made up for so long. */
export const MADE_UP_DAYS = 28;

/** The epoch began on a Thursday. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

/** The Monday of the week that a time lies in, epoch ms. */
export const startOfWeek = (time: number): number => {
  const day = startOfDay(time);
  return day - ((day / DAY_MS + DAYS_FROM_MONDAY_TO_EPOCH) % DAYS.review) * DAY_MS;
};

/** The period of a kind that a time lies in. @param time epoch ms. */
export const periodOf = (kind: ReportKind, time: number): Period => {
  const from = kind === "compliance" ? startOfDay(time) : startOfWeek(time);
  return { kind, from, to: from + DAYS[kind] * DAY_MS };
};

/** The periods that a day is of: its own and its week's. @param day any time of it, epoch ms. */
export const periodsOfDay = (day: number): Period[] => reportKinds.map((kind) => periodOf(kind, day));

/** `compliance-2026-11-21`: what clients call a report, by its period's first day. */
export const reportId = ({ kind, from }: Pick<Period, "kind" | "from">): string => `${kind}-${dayName(from)}`;

const REPORT_ID = /^([a-z]+)-(\d{4}-\d{2}-\d{2})$/;

/** The period that an id names; undefined for a text that is no report's id, such as a review's of a Tuesday. */
export const periodOfReportId = (id: string): Period | undefined => {
  const [, name, day = ""] = REPORT_ID.exec(id) ?? [];
  const kind = reportKinds.find((one) => one === name);
  const time = Date.parse(`${day}T00:00:00Z`);
  if (kind === undefined || Number.isNaN(time)) return undefined;
  const period = periodOf(kind, time);
  return reportId(period) === id ? period : undefined;
};
