/** The content of a security review's page. */
import type { Measure, ReviewReport, Trend } from "../review-report.ts";
import { formatCount, formatDuration, formatNumber, formatShare, formatSpan, plural, title } from "./format.ts";
import { type Content, html, type Markup } from "./markup.ts";
import { alertTable, andMore, badge, bar, type KeyFigure, keyFigures, nothing, section, table } from "./parts.ts";
import { alertChart, allWeeks, circuitChart, dayChart, refusalChart } from "./review-charts.ts";

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

const formats: Record<Measure, (value: number) => string> = {
  events: formatNumber,
  failures: formatNumber,
  failureRate: formatShare,
  refusals: formatNumber,
  alerts: formatNumber,
  syncFailures: formatNumber,
  circuitOpenMs: formatDuration,
};

const changeText = ({ measure, before, value, change }: Trend): string => {
  if (change === undefined) return value > 0 ? "none in the weeks before" : "as in the weeks before";
  if (Math.abs(change) < STEADY) return `as before: ${formats[measure](before)}`;
  if (change > 1) return `▲ ${formatNumber(1 + change)} times ${formats[measure](before)}`;
  return `${change > 0 ? "▲" : "▼"} ${formatShare(Math.abs(change))} from ${formats[measure](before)}`;
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
      value: formats[trend.measure](trend.value),
      label: labels[trend.measure],
      note: changeText(trend),
      ...toneOf(trend),
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
      [
        { name: "Rule" },
        { name: "Alerts", form: "number" },
        { name: "Before, a week", form: "number" },
        { name: "Findings", form: "number" },
      ],
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
    allWeeks(report).some((week) => week.circuit.openMs > 0) && circuitChart(report),
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
