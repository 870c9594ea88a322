/** The content of a security review's page. */
import { riskLevels } from "../../terms/risk-levels.ts";
import { sumOf } from "../build-report.ts";
import { WEEK_MS } from "../period.ts";
import type { Measure, ReviewedWeek, ReviewReport, Trend } from "../review-report.ts";
import { type ColumnChart, columnChart } from "./column-chart.ts";
import {
  durationUnit,
  formatCount,
  formatDuration,
  formatNumber,
  formatShare,
  formatShortDay,
  formatSpan,
  plural,
  title,
} from "./format.ts";
import { type Content, html, type Markup } from "./markup.ts";
import {
  alertTable,
  andMore,
  badge,
  bar,
  type KeyFigure,
  keyFigures,
  nothing,
  number,
  riskTones,
  section,
  table,
  text,
} from "./parts.ts";

const WEEK_DAYS = 7;

/** Smaller changes are shown as no change. */
const STEADY = 0.05;

const labels: Record<Measure, string> = {
  events: "events",
  failures: "without success",
  failureRate: "of events without success",
  refusals: "refusals",
  alerts: "alerts raised",
  syncFailures: "sync runs failed",
  circuitOpenMs: "circuit breaker open",
};

const formatValue = (measure: Measure, value: number): string => {
  if (measure === "failureRate") return formatShare(value);
  return measure === "circuitOpenMs" ? formatDuration(value) : formatNumber(value);
};

/** "Usual" is the mean of the weeks before. */
const changeText = ({ measure, before, value, change }: Trend): string => {
  if (change === undefined) return value > 0 ? "none in earlier weeks" : "as in earlier weeks";
  const usual = `the usual ${formatValue(measure, before)}`;
  if (Math.abs(change) < STEADY) return `about ${usual}`;
  if (change > 1) return `▲ ${formatNumber(1 + change)} times ${usual}`;
  return change > 0
    ? `▲ ${formatShare(change)} above ${usual}`
    : `▼ ${value === 0 ? "" : `${formatShare(-change)} `}below ${usual}`;
};

/** A rise is bad, except for the number of events. */
const toneOf = ({ measure, value, change }: Trend, { weeksBefore }: ReviewReport): Pick<KeyFigure, "tone"> => {
  if (measure === "events" || value === 0) return {};
  if (weeksBefore.length === 0) return { tone: "warn" };
  return { tone: change === undefined || change >= STEADY ? "bad" : "warn" };
};

const figures = (report: ReviewReport): Markup => {
  const { trends, unprocessedHighRiskEvents, openAlerts, weeksBefore } = report;
  const shown = trends.filter(({ measure }) => measure !== "failures");
  return keyFigures([
    {
      value: formatCount(unprocessedHighRiskEvents),
      label: "high-risk events unprocessed",
      tone: unprocessedHighRiskEvents > 0 ? "bad" : "good",
    },
    {
      value: formatCount(openAlerts),
      label: "alerts open",
      tone: openAlerts > 0 ? "bad" : "good",
    },
    ...shown.map((trend) => ({
      value: formatValue(trend.measure, trend.value),
      label: labels[trend.measure],
      ...(weeksBefore.length > 0 && { note: changeText(trend) }),
      ...toneOf(trend, report),
    })),
  ]);
};

/** The weeks of the report, the oldest first. */
const weeksOf = ({ weeksBefore, week }: ReviewReport): ReviewedWeek[] => [...weeksBefore, week];

const COUNTED = ["", "one week", "two weeks", "three weeks", "four weeks", "five weeks"];

/** The time that the charts show: `in five weeks`. */
const inTheseWeeks = (report: ReviewReport): string => {
  const { length } = weeksOf(report);
  return length === 1 ? "in this week" : `in ${COUNTED[length] ?? `${length} weeks`}`;
};

/** What the shade behind some columns means. */
const bandNote = ({ weeksBefore }: ReviewReport) => weeksBefore.length > 0 && { note: "shaded: this week" };

const dayChart = (report: ReviewReport): Markup => {
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

const alertChart = (report: ReviewReport): Markup =>
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

const refusalChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ refusals }) => [refusals], {
    id: "refusals",
    title: "Refusals by week",
    summary: `${plural(report.week.refusals, "refusal", "refusals")} in the week, beside the weeks before.`,
    nothing: `No refusals ${inTheseWeeks(report)}.`,
    parts: [{ name: "refusals", tone: "series" }],
    format: formatCount,
  });

const circuitChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ circuit }) => [circuit.openMs], {
    id: "circuit",
    title: "Time open by week",
    summary: `Open for ${formatDuration(report.week.circuit.openMs)} in the week, beside the weeks before.`,
    nothing: `The circuit breaker was never open ${inTheseWeeks(report)}.`,
    parts: [{ name: "open", tone: "series" }],
    format: formatDuration,
    unit: durationUnit(Math.max(...weeksOf(report).map(({ circuit }) => circuit.openMs))),
  });

const recommendations = ({ recommendations: list }: ReviewReport): Markup =>
  section(
    "Recommendations",
    list.length === 0
      ? nothing("Nothing calls for action this week.")
      : html`<ol class="advice">${list.map(
          ({ level, action, because }) =>
            html`<li>${badge(level)}<div><p>${action}</p><small>${because}</small></div></li>`,
        )}</ol>`,
  );

const alertSentence = ({ week: { alerts } }: ReviewReport): Markup => {
  const levels = riskLevels.filter((level) => alerts[level] > 0).reverse();
  const list = levels.map((level) => `${formatCount(alerts[level])} ${level.toLowerCase()}`).join(", ");
  return html`<p>${levels.length === 0 ? "No alerts in this week." : `Alerts of the week: ${list}.`}</p>`;
};

/** Without an earlier week, charts by week would have a single column: the numbers at the top say as much. */
const trends = (report: ReviewReport): Markup =>
  report.weeksBefore.length === 0
    ? section(
        "Trends",
        html`<p>There is no earlier week to compare with. Weeks count from the first one in which the organization existed on its Monday and that is still stored.</p>`,
        dayChart(report),
        alertSentence(report),
      )
    : section("Trends", dayChart(report), alertChart(report), refusalChart(report));

const findings = ({ findings: list, moreFindings }: ReviewReport): Markup =>
  section(
    "Findings",
    list.length === 0 ? nothing("Detection found nothing.") : alertTable("The gravest first", list),
    andMore(moreFindings, "finding", "findings"),
  );

const rules = ({ rules: list, weeksBefore }: ReviewReport): Markup => {
  const most = Math.max(1, ...list.map(({ alerts, before }) => Math.max(alerts, before)));
  return section(
    "Rule by rule",
    table(
      weeksBefore.length === 0 ? "Alerts of the week" : "Alerts of the week, and the mean of the weeks before",
      [
        text("Rule"),
        number("Alerts"),
        ...(weeksBefore.length > 0 ? [number("Usual in a week")] : []),
        number("Findings"),
      ],
      list.map(({ rule, alerts, before, findings: count }) => [
        title(rule),
        html`${formatCount(alerts)}${bar(alerts / most)}`,
        ...(weeksBefore.length > 0 ? [formatNumber(before)] : []),
        formatCount(count),
      ]),
    ),
  );
};

const circuit = (report: ReviewReport): Markup => {
  const { openMs, forcedOpenMs, openings, isExact } = report.week.circuit;
  const sentence: Content =
    openMs === 0
      ? "It was never open in the week."
      : html`It was open for ${isExact ? "" : "about "}<b>${formatDuration(openMs)}</b>, after ${plural(openings, "opening", "openings")}${forcedOpenMs > 0 && `; an operator held it for ${formatDuration(forcedOpenMs)} of that`}.`;
  return section("Circuit breaker", html`<p>${sentence}</p>`, report.weeksBefore.length > 0 && circuitChart(report));
};

export const reviewContent = (report: ReviewReport): Markup[] => [
  figures(report),
  recommendations(report),
  trends(report),
  findings(report),
  rules(report),
  circuit(report),
];
