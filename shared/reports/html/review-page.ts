/** The content of a security review's page. */
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

const changeText = ({ measure, before, value, change }: Trend): string => {
  if (change === undefined) return value > 0 ? "none in the weeks before" : "as in the weeks before";
  const formatted = formatValue(measure, before);
  if (Math.abs(change) < STEADY) return `as before: ${formatted}`;
  if (change > 1) return `▲ ${formatNumber(1 + change)} times ${formatted}`;
  return `${change > 0 ? "▲" : "▼"} ${formatShare(Math.abs(change))} from ${formatted}`;
};

/** A rise is bad, except for the number of events. */
const toneOf = ({ measure, value, change }: Trend): Pick<KeyFigure, "tone"> => {
  if (measure === "events" || value === 0) return {};
  return { tone: change === undefined || change >= STEADY ? "bad" : "warn" };
};

const figures = ({ trends, unprocessedHighRiskEvents, openAlerts }: ReviewReport): Markup => {
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
      note: changeText(trend),
      ...toneOf(trend),
    })),
  ]);
};

/** The weeks of the report, the oldest first. */
const weeksOf = ({ weeksBefore, week }: ReviewReport): ReviewedWeek[] => [...weeksBefore, week];

const dayChart = ({ days, from, week }: ReviewReport): Markup =>
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

const weekChart = (
  report: ReviewReport,
  valuesOf: (week: ReviewedWeek) => number[],
  chart: Pick<ColumnChart, "id" | "title" | "summary" | "parts" | "format" | "unit">,
): Markup =>
  columnChart({
    ...chart,
    columns: weeksOf(report).map((week) => ({
      name: formatSpan(week.from, week.from + WEEK_MS),
      label: formatShortDay(week.from),
      values: valuesOf(week),
      isMarked: week.from === report.from,
    })),
    columnName: "Week",
  });

const alertChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ alerts }) => [alerts.LOW, alerts.MEDIUM, alerts.HIGH, alerts.CRITICAL], {
    id: "alerts",
    title: "Alerts by week and level",
    summary: `${weeksOf(report)
      .map(({ from, alerts }) => `${formatShortDay(from)}: ${sumOf(Object.values(alerts), (count) => count)}`)
      .join("; ")}.`,
    parts: [
      { name: "low", tone: "muted" },
      { name: "medium", tone: "accent" },
      { name: "high", tone: "warn" },
      { name: "critical", tone: "bad" },
    ],
    format: formatCount,
  });

const refusalChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ refusals }) => [refusals], {
    id: "refusals",
    title: "Refusals by week",
    summary: `${plural(report.week.refusals, "refusal", "refusals")} in the week, beside the weeks before.`,
    parts: [{ name: "refusals", tone: "warn" }],
    format: formatCount,
  });

const circuitChart = (report: ReviewReport): Markup =>
  weekChart(report, ({ circuit }) => [circuit.openMs], {
    id: "circuit",
    title: "Time open by week",
    summary: `Open for ${formatDuration(report.week.circuit.openMs)} in the week, beside the weeks before.`,
    parts: [{ name: "open", tone: "accent" }],
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

const trends = (report: ReviewReport): Markup =>
  section(
    "Trends",
    report.weeksBefore.length === 0 && nothing("There are no whole weeks before it to be held against."),
    dayChart(report),
    alertChart(report),
    refusalChart(report),
  );

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
      weeksBefore.length === 0 ? "Alerts of the week" : "Alerts of the week, and of the weeks before on average",
      [text("Rule"), number("Alerts"), number("Before, a week"), number("Findings")],
      list.map(({ rule, alerts, before, findings: count }) => [
        title(rule),
        html`${formatCount(alerts)}${bar(alerts / most, alerts > before ? "warn" : "accent")}`,
        formatNumber(before),
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
  return section(
    "Circuit breaker",
    html`<p>${sentence}</p>`,
    weeksOf(report).some((week) => week.circuit.openMs > 0) && circuitChart(report),
  );
};

export const reviewContent = (report: ReviewReport): Markup[] => [
  html`<p class="whose">Monday to Sunday, ${formatSpan(report.from, report.to)}</p>`,
  figures(report),
  recommendations(report),
  trends(report),
  findings(report),
  rules(report),
  circuit(report),
];
