/** What of a day somebody should look at. Pure. */
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { ComplianceReport } from "../compliance-report.ts";
import { formatCount, plural } from "./format.ts";

/** An erasure is urgent with so many days left. Decisions: an alarm at 20 days of 30. */
export const URGENT_DAYS = 10;

export type Notice = { level: RiskLevel; text: string };

/** The gravest first; none where all is well. */
export const noticesOf = ({
  unprocessedHighRiskEvents,
  sync,
  retention,
  erasures,
  alerts,
  access,
}: ComplianceReport) => {
  const overdue = erasures.filter(({ daysLeft }) => daysLeft < 0).length;
  const urgent = erasures.filter(({ daysLeft }) => daysLeft >= 0 && daysLeft <= URGENT_DAYS).length;
  const unanswered = alerts.list.filter(({ timeToAcknowledgeMs }) => timeToAcknowledgeMs === undefined).length;
  const notices: (Notice | false)[] = [
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
      text: "The connection to the provider must be made anew.",
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
