/**
 * The periods of reports: each UTC day has a compliance report, each week from Monday to Sunday a security review, and each
 * calendar month a report for assessors. Read
 * report.ts next for their content, make-report.ts for how they are made. Pure.
 */
import { DAY_MS, dayName, startOfDay, startOfMonth } from "../terms/hours.ts";

export const reportKinds = ["compliance", "review", "month"] as const;
export type ReportKind = (typeof reportKinds)[number];

/** `from` (inclusive) and `to` (exclusive) are midnights in epoch ms. */
export type Period = { kind: ReportKind; from: number; to: number };

const WEEK_DAYS = 7;

export const WEEK_MS = WEEK_DAYS * DAY_MS;

/** Reports of days on which the service was down are made within this time. */
export const CATCH_UP_DAYS = 28;

/** The epoch began on a Thursday. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

/** The Monday of a time's week, epoch ms. */
export const startOfWeek = (time: number): number => {
  const day = startOfDay(time);
  return day - ((day / DAY_MS + DAYS_FROM_MONDAY_TO_EPOCH) % WEEK_DAYS) * DAY_MS;
};

const spans: Record<ReportKind, (time: number) => Omit<Period, "kind">> = {
  compliance: (time) => ({ from: startOfDay(time), to: startOfDay(time) + DAY_MS }),
  review: (time) => ({ from: startOfWeek(time), to: startOfWeek(time) + WEEK_MS }),
  month: (time) => ({ from: startOfMonth(time), to: startOfMonth(time, 1) }),
};

/** The period of a kind that contains a time. @param time epoch ms. */
export const periodOf = (kind: ReportKind, time: number): Period => ({ kind, ...spans[kind](time) });

/** The periods that contain a day: its own, its week's and its month's. @param day any time of it, epoch ms. */
export const periodsOfDay = (day: number): Period[] => reportKinds.map((kind) => periodOf(kind, day));

const MONTH_CHARACTERS = 7;

/** `compliance-2026-11-21`, `month-2026-11`: the id of a report in the API, by its period's first day or month. */
export const reportId = ({ kind, from }: Pick<Period, "kind" | "from">): string => {
  const day = dayName(from);
  return `${kind}-${kind === "month" ? day.slice(0, MONTH_CHARACTERS) : day}`;
};

const REPORT_ID = /^([a-z]+)-(\d{4}-\d{2})(-\d{2})?$/;

/** The period of a report's id; undefined if the text is not a valid id, such as that of a review from a Tuesday. */
export const periodOfReportId = (id: string): Period | undefined => {
  const [, name, month = "", day = "-01"] = REPORT_ID.exec(id) ?? [];
  const kind = reportKinds.find((one) => one === name);
  const time = Date.parse(`${month}${day}T00:00:00Z`);
  if (kind === undefined || Number.isNaN(time)) return undefined;
  const period = periodOf(kind, time);
  return reportId(period) === id ? period : undefined;
};
