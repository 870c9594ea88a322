/** The charts of a security review's page. The week of the report is shaded beside earlier weeks. */

import type { Markup } from "../../runtime/markup.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { sumOf } from "../build-report.ts";
import { WEEK_MS } from "../period.ts";
import type { ReviewedWeek, ReviewReport } from "../review-report.ts";
import { type ColumnChart, columnChart } from "./column-chart.ts";
import { durationUnit, formatCount, formatDuration, formatShortDay, formatSpan, plural } from "./format.ts";
import { riskTones } from "./parts.ts";

const WEEK_DAYS = 7;

/** The weeks of the report, the oldest first. */
const weeksOf = ({ weeksBefore, week }: ReviewReport): ReviewedWeek[] => [...weeksBefore, week];

/** By the number of weeks before. */
const SHOWN_TIME = ["in this week", "in two weeks", "in three weeks", "in four weeks", "in five weeks"];

/** The time that the charts show. */
const inTheseWeeks = ({ weeksBefore }: ReviewReport): string =>
  SHOWN_TIME[weeksBefore.length] ?? `in ${weeksBefore.length + 1} weeks`;

/** What the shade behind some columns means. */
const bandNote = ({ weeksBefore }: ReviewReport) => weeksBefore.length > 0 && { note: "shaded: this week" };

export const dayChart = (report: ReviewReport): Markup => {
  const { days, from, week } = report;
  return columnChart({
    id: "days",
    title: "Events by day",
    ...bandNote(report),
    nothing: `No events ${inTheseWeeks(report)}.`,
    summary: `${plural(week.events, "event", "events")} in the week, ${formatCount(week.failures)} of them without success${report.weeksBefore.length > 0 ? ", and the days of the weeks before" : ""}.`,
    parts: [
      { name: "without success", tone: "bad" },
      { name: "with success", tone: "series" },
    ],
    columns: days.map((day, index) => ({
      name: formatShortDay(day.from),
      ...((index % WEEK_DAYS === 0 || days.length === WEEK_DAYS) && { label: formatShortDay(day.from) }),
      values: [day.failures, day.events - day.failures],
      isMarked: day.from >= from,
    })),
    format: formatCount,
    columnName: "Day",
  });
};

const weekChart = (
  report: ReviewReport,
  valuesOf: (week: ReviewedWeek) => number[],
  chart: Pick<ColumnChart, "id" | "title" | "summary" | "nothing" | "parts" | "format" | "unit">,
): Markup =>
  columnChart({
    ...chart,
    ...bandNote(report),
    columns: weeksOf(report).map((week) => ({
      name: formatSpan(week.from, week.from + WEEK_MS),
      label: formatShortDay(week.from),
      values: valuesOf(week),
      isMarked: week.from === report.from,
    })),
    columnName: "Week",
  });

export const alertChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ alerts }) => riskLevels.map((level) => alerts[level]), {
    id: "alerts",
    title: "Alerts by week and level",
    summary: `${weeksOf(report)
      .map(({ from, alerts }) => `${formatShortDay(from)}: ${sumOf(Object.values(alerts), (count) => count)}`)
      .join("; ")}.`,
    nothing: `No alerts ${inTheseWeeks(report)}.`,
    parts: riskLevels.map((level) => ({ name: level.toLowerCase(), tone: riskTones[level] })),
    format: formatCount,
  });

export const refusalChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ refusals }) => [refusals], {
    id: "refusals",
    title: "Refusals by week",
    summary: `${plural(report.week.refusals, "refusal", "refusals")} in the week, beside the weeks before.`,
    nothing: `No refusals ${inTheseWeeks(report)}.`,
    parts: [{ name: "refusals", tone: "series" }],
    format: formatCount,
  });

export const circuitChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ circuit }) => [circuit.openMs], {
    id: "circuit",
    title: "Time open by week",
    summary: `Open for ${formatDuration(report.week.circuit.openMs)} in the week, beside the weeks before.`,
    nothing: `The circuit breaker was never open ${inTheseWeeks(report)}.`,
    parts: [{ name: "open", tone: "series" }],
    format: formatDuration,
    unit: durationUnit(Math.max(...weeksOf(report).map(({ circuit }) => circuit.openMs))),
  });
