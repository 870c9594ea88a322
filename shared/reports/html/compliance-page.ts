/** A compliance report as a page. */
import type { ComplianceReport } from "../compliance-report.ts";
import { noticesOf, URGENT_DAYS } from "./attention.ts";
import { columnChart } from "./column-chart.ts";
import { accessSection, alertsSection, changesSection, keepingSection, syncSection } from "./compliance-sections.ts";
import { formatCount, formatDay, formatShare, plural } from "./format.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import { badge, keyFigures, nothing, section } from "./parts.ts";

const HOURS_BETWEEN_LABELS = 6;

const figures = ({
  unprocessedHighRiskEvents,
  access,
  alerts,
  sync,
  events,
  erasures,
  moreErasures,
}: ComplianceReport) => {
  const openErasures = erasures.length + moreErasures;
  const [nextErasure] = erasures;
  return keyFigures([
    {
      value: formatCount(unprocessedHighRiskEvents),
      label: "high-risk events unprocessed",
      tone: unprocessedHighRiskEvents > 0 ? "bad" : "good",
    },
    {
      value: formatCount(access.refusals),
      label: "calls refused",
      note: `of ${plural(access.calls, "call", "calls")}`,
      ...(access.refusals > 0 && { tone: "warn" as const }),
    },
    {
      value: formatCount(alerts.raised),
      label: "alerts raised",
      note: alerts.raised > 0 && `${formatCount(alerts.acknowledged)} answered`,
      ...(alerts.raised > alerts.acknowledged && { tone: "bad" as const }),
    },
    {
      value: `${formatCount(sync.succeeded)}/${formatCount(sync.runs)}`,
      label: "sync runs succeeded",
      note: plural(sync.written, "record changed", "records changed"),
      ...(sync.failed > 0 && { tone: "warn" as const }),
    },
    {
      value: formatCount(events.total),
      label: "events",
      note: events.total > 0 && `${formatShare(events.failures / events.total)} without success`,
    },
    {
      value: formatCount(openErasures),
      label: "erasures open",
      note: nextErasure !== undefined && `${plural(nextErasure.daysLeft, "day", "days")} left for the first`,
      ...(nextErasure !== undefined && nextErasure.daysLeft <= URGENT_DAYS && { tone: "bad" as const }),
    },
  ]);
};

const attention = (report: ComplianceReport): Markup => {
  const notices = noticesOf(report);
  if (notices.length === 0) return section("To be looked at", nothing("Nothing: the day was quiet."));
  return section(
    "To be looked at",
    html`<ul class="advice">${notices.map(({ level, text }) => html`<li>${badge(level)}<p>${text}</p></li>`)}</ul>`,
  );
};

const activity = ({ events }: ComplianceReport): Markup =>
  columnChart({
    id: "hours",
    title: "Events by hour",
    summary: `${plural(events.total, "event", "events")}, ${formatCount(events.failures)} of them without success, by the hour in which they happened.`,
    parts: [
      { name: "without success", tone: "bad" },
      { name: "with success", tone: "accent" },
    ],
    columns: events.hours.map(({ events: all, failures }, hour) => ({
      name: `${String(hour).padStart(2, "0")}:00`,
      ...(hour % HOURS_BETWEEN_LABELS === 0 && { label: `${String(hour).padStart(2, "0")}:00` }),
      values: [failures, all - failures],
    })),
    format: formatCount,
    columnName: "Hour",
  });

/** A self-contained page of HTML. */
export const renderCompliance = (report: ComplianceReport, organizationId: string): string =>
  renderPage({
    kind: "Compliance report",
    heading: formatDay(report.from),
    organizationId,
    id: report.id,
    createdAt: report.createdAt,
    content: [
      figures(report),
      attention(report),
      section("Activity", activity(report)),
      accessSection(report),
      changesSection(report),
      alertsSection(report),
      syncSection(report),
      keepingSection(report),
    ],
  });
