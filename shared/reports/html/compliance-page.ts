/** The content of a compliance report's page. */

import { html, type Markup } from "../../runtime/markup.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { ComplianceReport } from "../compliance-report.ts";
import { columnChart } from "./column-chart.ts";
import {
  accessSection,
  alertsSection,
  changesSection,
  retentionSection,
  switchedOffSection,
  syncSection,
  URGENT_DAYS,
} from "./compliance-sections.ts";
import { evidenceSection } from "./evidence-section.ts";
import { formatCount, formatShare, plural } from "./format.ts";
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

/** The problems of the day, the gravest first. */
const noticesOf = (report: ComplianceReport) => {
  const { unprocessedHighRiskEvents, sync, retention, erasures, alerts, access, changes } = report;
  const { mutes = [], moreMutes = 0, rulesOff = [] } = report;
  const paused = changes.filter(({ area, what }) => area === "notifications" && what === "pause_destination").length;
  const overdue = erasures.filter(({ daysLeft }) => daysLeft < 0).length;
  const urgent = erasures.filter(({ daysLeft }) => daysLeft >= 0 && daysLeft <= URGENT_DAYS).length;
  const unanswered = alerts.list.filter(({ timeToAcknowledgeMs }) => timeToAcknowledgeMs === undefined).length;
  const notices: ({ level: RiskLevel; text: string } | false)[] = [
    overdue > 0 && { level: "CRITICAL", text: `${plural(overdue, "erasure is", "erasures are")} past the due date.` },
    !retention.isHeld && {
      level: "CRITICAL",
      text: `Events older than the retention of ${plural(retention.days, "day", "days")} are still stored.`,
    },
    unprocessedHighRiskEvents > 0 && {
      level: "HIGH",
      text: `${plural(unprocessedHighRiskEvents, "high-risk event was", "high-risk events were")} unprocessed at the day's end.`,
    },
    unanswered > 0 && {
      level: "HIGH",
      text: `${plural(unanswered, "alert has", "alerts have")} not been acknowledged.`,
    },
    sync.connection === "needs_reconnect" && {
      level: "HIGH",
      text: "The provider refuses the connection: connect the account again.",
    },
    sync.key?.kind === "unrestricted" &&
      sync.key.mode === "live" && {
        level: "HIGH",
        text: "The stored live key may do everything in the account: replace it by a restricted key.",
      },
    paused > 0 && {
      level: "HIGH",
      text: `${plural(paused, "destination was", "destinations were")} paused and ${paused === 1 ? "gets" : "get"} no alerts: mend or delete ${paused === 1 ? "it" : "them"}.`,
    },
    rulesOff.length > 0 && {
      level: "HIGH",
      text: `${plural(rulesOff.length, "rule of detection is", "rules of detection are")} off.`,
    },
    mutes.length > 0 && {
      level: "MEDIUM",
      text: `${plural(mutes.length + moreMutes, "mute", "mutes")} acted: some alerts were not sent, or later.`,
    },
    urgent > 0 && {
      level: "MEDIUM",
      text: `${plural(urgent, "erasure is", "erasures are")} due within ${formatCount(URGENT_DAYS)} days.`,
    },
    sync.failed > 0 && {
      level: "MEDIUM",
      text: `${plural(sync.failed, "sync run", "sync runs")} of ${formatCount(sync.runs)} failed.`,
    },
    sync.completeness?.isComplete === false && {
      level: "MEDIUM",
      text: "The last comparison found records on one side only.",
    },
    access.refusals > 0 && {
      level: "LOW",
      text: `${plural(access.refusals, "call was", "calls were")} refused.`,
    },
  ];
  return notices.filter((notice) => notice !== false);
};

const attention = (report: ComplianceReport): Markup => {
  const notices = noticesOf(report);
  if (notices.length === 0) return section("Needs attention", nothing("Nothing: the day was quiet."));
  return section(
    "Needs attention",
    html`<ul class="advice">${notices.map(({ level, text }) => html`<li>${badge(level)}<p>${text}</p></li>`)}</ul>`,
  );
};

const activity = ({ events }: ComplianceReport): Markup =>
  columnChart({
    id: "hours",
    title: "Events by hour",
    summary: `${plural(events.total, "event", "events")}, ${formatCount(events.failures)} of them without success, by the hour in which they happened.`,
    nothing: "No events on this day.",
    parts: [
      { name: "without success", tone: "bad" },
      { name: "with success", tone: "series" },
    ],
    columns: events.hours.map(({ events: all, failures }, hour) => ({
      name: `${String(hour).padStart(2, "0")}:00`,
      ...(hour % HOURS_BETWEEN_LABELS === 0 && { label: `${String(hour).padStart(2, "0")}:00` }),
      values: [failures, all - failures],
    })),
    format: formatCount,
    columnName: "Hour",
  });

export const complianceContent = (report: ComplianceReport): Markup[] =>
  [
    figures(report),
    attention(report),
    section("Activity", activity(report)),
    accessSection(report),
    changesSection(report),
    alertsSection(report),
    switchedOffSection(report, "on the day"),
    syncSection(report),
    evidenceSection(report),
    retentionSection(report),
  ].filter((part) => part !== false);
