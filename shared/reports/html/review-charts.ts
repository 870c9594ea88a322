/** The charts of a security review's page. */
import { WEEK_MS } from "../period.ts";
import type { ReviewReport } from "../review-report.ts";
import { columnChart } from "./column-chart.ts";
import { durationUnit, formatCount, formatDuration, formatShortDay, formatSpan, plural } from "./format.ts";
import type { Markup } from "./markup.ts";

const WEEK_DAYS = 7;

/** The weeks of the report, the oldest first. */
export const allWeeks = ({ weeksBefore, week }: ReviewReport) => [...weeksBefore, week];

export const dayChart = ({ days, from, week }: ReviewReport): Markup =>
  columnChart({
    id: "days",
    title: "Events by day",
    summary: `${plural(week.events, "event", "events")} in the week, ${formatCount(week.failures)} of them without success, and the days of the weeks before.`,
    parts: [
      { name: "without success", tone: "bad" },
      { name: "with success", tone: "accent" },
    ],
    columns: days.map((day, index) => ({
      name: formatShortDay(day.from),
      ...(index % WEEK_DAYS === 0 && { label: formatShortDay(day.from) }),
      values: [day.failures, day.events - day.failures],
      isMarked: day.from >= from,
    })),
    format: formatCount,
    columnName: "Day",
  });

const weekColumn = (from: number, isMarked: boolean, values: readonly number[]) => ({
  name: formatSpan(from, from + WEEK_MS),
  label: formatShortDay(from),
  values,
  isMarked,
});

export const alertChart = (report: ReviewReport): Markup =>
  columnChart({
    id: "alerts",
    title: "Alerts by week and level",
    summary: `${allWeeks(report)
      .map(({ from, alerts }) => `${formatShortDay(from)}: ${Object.values(alerts).reduce((sum, one) => sum + one, 0)}`)
      .join("; ")}.`,
    parts: [
      { name: "low", tone: "muted" },
      { name: "medium", tone: "accent" },
      { name: "high", tone: "warn" },
      { name: "critical", tone: "bad" },
    ],
    columns: allWeeks(report).map(({ from, alerts }) =>
      weekColumn(from, from === report.from, [alerts.LOW, alerts.MEDIUM, alerts.HIGH, alerts.CRITICAL]),
    ),
    format: formatCount,
    columnName: "Week",
  });

export const refusalChart = (report: ReviewReport): Markup =>
  columnChart({
    id: "refusals",
    title: "Refusals by week",
    summary: `${plural(report.week.refusals, "refusal", "refusals")} in the week, beside the weeks before.`,
    parts: [{ name: "refusals", tone: "warn" }],
    columns: allWeeks(report).map(({ from, refusals }) => weekColumn(from, from === report.from, [refusals])),
    format: formatCount,
    columnName: "Week",
  });

export const circuitChart = (report: ReviewReport): Markup => {
  const openMs = allWeeks(report).map((week) => week.circuit.openMs);
  return columnChart({
    id: "circuit",
    title: "Time open by week",
    summary: `Open for ${formatDuration(report.week.circuit.openMs)} in the week, beside the weeks before.`,
    parts: [{ name: "open", tone: "accent" }],
    columns: allWeeks(report).map(({ from }, index) => weekColumn(from, from === report.from, [openMs[index] ?? 0])),
    format: formatDuration,
    unit: durationUnit(Math.max(...openMs)),
    columnName: "Week",
  });
};
