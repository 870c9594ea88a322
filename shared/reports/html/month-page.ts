/** The content of a month's page. */
import { html, type Markup } from "../../runtime/markup.ts";
import type { MonthReport } from "../month-report.ts";
import { keySentence, switchedOffSection } from "./compliance-sections.ts";
import { evidenceSection } from "./evidence-section.ts";
import { formatCount, formatMoment, formatShortDay, plural, title } from "./format.ts";
import { andMore, causeSentence, keyFigures, nothing, number, section, short, table, text, time } from "./parts.ts";

const figures = ({ unprocessedHighRiskEvents, alerts, reviewing, events }: MonthReport): Markup =>
  keyFigures([
    {
      value: formatCount(unprocessedHighRiskEvents),
      label: "high-risk events unprocessed",
      tone: unprocessedHighRiskEvents > 0 ? "bad" : "good",
    },
    {
      value: formatCount(alerts.raised),
      label: "alerts raised",
      note: alerts.raised > 0 && `${formatCount(alerts.acknowledged)} answered`,
      ...(alerts.open > 0 && { tone: "bad" as const }),
    },
    {
      value: formatCount(reviewing.unreviewed),
      label: "reports not reviewed",
      note: `of ${plural(reviewing.reports, "report", "reports")}`,
      tone: reviewing.unreviewed > 0 ? "warn" : "good",
    },
    { value: formatCount(events), label: "events" },
  ]);

const daysSection = ({ days, events, failures, refusals }: MonthReport): Markup =>
  section(
    "Days",
    html`<p>${plural(events, "event", "events")}, ${formatCount(failures)} of them without success, ${formatCount(refusals)} refusals.</p>`,
    table(
      "Sums of each day",
      [text("Day"), number("Events"), number("Without success"), number("Refusals")],
      days.map((day) => [
        time(day.from, formatShortDay(day.from)),
        ...[day.events, day.failures, day.refusals].map(formatCount),
      ]),
    ),
  );

const alertsSection = ({ alerts }: MonthReport): Markup =>
  section(
    "Alerts",
    html`<p>${plural(alerts.raised, "alert was", "alerts were")} raised, ${formatCount(alerts.acknowledged)} of them answered. ${plural(alerts.open, "alert is", "alerts are")} open.</p>`,
    causeSentence(alerts.resolvedByCause, "in the month"),
  );

const reviewsSection = ({ reviewing: { list, moreReports } }: MonthReport): Markup =>
  section(
    "Reviews",
    list.length === 0
      ? nothing("No report was made in the month.")
      : table(
          "Reports of the month, and who reviewed each first",
          [text("Report"), text("Reviewed by"), short("When")],
          list.map(({ id, reviewedAt, reviewedBy }) => [
            html`<span class="name">${id}</span>`,
            reviewedAt === undefined ? html`<em class="open">not yet</em>` : (reviewedBy ?? "a user who is erased now"),
            reviewedAt === undefined ? "" : time(reviewedAt, formatMoment(reviewedAt)),
          ]),
        ),
    andMore(moreReports, "report", "reports"),
  );

const connectionSection = ({ connection, key }: MonthReport): Markup =>
  section("Connection", html`<p>The account at the provider: ${title(connection)}.</p>`, keySentence(key));

export const monthContent = (report: MonthReport): Markup[] =>
  [
    figures(report),
    daysSection(report),
    alertsSection(report),
    reviewsSection(report),
    switchedOffSection(report, "in the month"),
    evidenceSection(report),
    connectionSection(report),
  ].filter((part) => part !== false);
