/** The content of a security review's page. */

import { type Content, html, type Markup } from "../../runtime/markup.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import type { Measure, ReviewReport, Trend } from "../review-report.ts";
import { formatCount, formatDuration, formatNumber, formatShare, plural, title } from "./format.ts";
import {
  alertTable,
  andMore,
  badge,
  bar,
  causeSentence,
  type KeyFigure,
  keyFigures,
  nothing,
  number,
  section,
  table,
  text,
} from "./parts.ts";
import { alertChart, circuitChart, dayChart, refusalChart } from "./review-charts.ts";

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
        html`<p>There is no earlier week to compare with. A week counts if the organization existed on its Monday, and if its events are still stored.</p>`,
        dayChart(report),
        alertSentence(report),
        causeSentence(report.resolvedByCause, "in the week"),
      )
    : section(
        "Trends",
        dayChart(report),
        alertChart(report),
        causeSentence(report.resolvedByCause, "in the week"),
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
