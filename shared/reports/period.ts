/**
 * The periods of reports: each UTC day has a compliance report, each week from Monday to Sunday a security review. Read
 * report.ts next for their content, make-report.ts for how they are made. Pure.
 */
import { DAY_MS, dayName, startOfDay } from "../terms/hours.ts";

export const reportKinds = ["compliance", "review"] as const;
export type ReportKind = (typeof reportKinds)[number];

/** `from` (inclusive) and `to` (exclusive) are midnights in epoch ms. */
export type Period = { kind: ReportKind; from: number; to: number };

/** The number of days of each kind's periods. */
const DAYS: Record<ReportKind, number> = { compliance: 1, review: 7 };

export const WEEK_MS = DAYS.review * DAY_MS;

/** Reports of days on which the service was down are made within this time. */
export const CATCH_UP_DAYS = 28;

/** The epoch began on a Thursday. */
const DAYS_FROM_MONDAY_TO_EPOCH = 3;

/** The Monday of a time's week, epoch ms. */
export const startOfWeek = (time: number): number => {
  const day = startOfDay(time);
  return day - ((day / DAY_MS + DAYS_FROM_MONDAY_TO_EPOCH) % DAYS.review) * DAY_MS;
};

/** The period of a kind that contains a time. @param time epoch ms. */
export const periodOf = (kind: ReportKind, time: number): Period => {
  const from = kind === "compliance" ? startOfDay(time) : startOfWeek(time);
  return { kind, from, to: from + DAYS[kind] * DAY_MS };
};

/** The periods that contain a day: its own and its week's. @param day any time of it, epoch ms. */
export const periodsOfDay = (day: number): Period[] => reportKinds.map((kind) => periodOf(kind, day));

/** `compliance-2026-11-21`: the id of a report in the API, by its period's first day. */
export const reportId = ({ kind, from }: Pick<Period, "kind" | "from">): string => `${kind}-${dayName(from)}`;

const REPORT_ID = /^([a-z]+)-(\d{4}-\d{2}-\d{2})$/;

/** The period of a report's id; undefined if the text is not a valid id, such as that of a review from a Tuesday. */
export const periodOfReportId = (id: string): Period | undefined => {
  const [, name, day = ""] = REPORT_ID.exec(id) ?? [];
  const kind = reportKinds.find((one) => one === name);
  const time = Date.parse(`${day}T00:00:00Z`);
  if (kind === undefined || Number.isNaN(time)) return undefined;
  const period = periodOf(kind, time);
  return reportId(period) === id ? period : undefined;
};
