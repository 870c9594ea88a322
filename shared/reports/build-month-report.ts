/** Builds the report of a month. Pure. */
import type { ConnectionStatus } from "../connection/connection.ts";
import type { StoredKey } from "../connection/key.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { Alert } from "../security/alerts/alert.ts";
import type { Counters } from "../security/statistics/counters.ts";
import { DAY_MS, startOfDay } from "../terms/hours.ts";
import { mutesOf, reportedKey } from "./build-compliance-report.ts";
import { answeredAt, countByCause, countByLevel, firstOf, fitReport, isWithin, sumOf } from "./build-report.ts";
import { dayOf, startsOf } from "./build-review-report.ts";
import type { ReportedDrill, ReportedIntegrity } from "./evidence-fields.ts";
import type { MonthReport } from "./month-report.ts";
import { type Period, reportId } from "./period.ts";
import type { ReportEntry } from "./report.ts";

export type MonthInput = {
  period: Period;
  /** Epoch ms. */
  createdAt: number;
  retentionDays: number;
  /** By the beginning of each day with events, epoch ms. */
  days: ReadonlyMap<number, Counters>;
  /** HIGH and CRITICAL events that were unprocessed at the period's end. */
  unprocessedHighRiskEvents: number;
  oldestEventAt: number | undefined;
  /** In any order; those of other times are left out. */
  alerts: readonly Alert[];
  /** Those whose period ended in the month, the latest first. */
  reports: readonly ReportEntry[];
  /** The latest first; those of other times are left out. */
  mutes: readonly MuteItem[];
  rulesOff: readonly string[];
  lastDrill: ReportedDrill | undefined;
  connection: ConnectionStatus;
  key: StoredKey | undefined;
  integrity: ReportedIntegrity;
};

export const buildMonthReport = (input: MonthInput): MonthReport => {
  const { period, createdAt, retentionDays, alerts, reports, rulesOff, lastDrill, connection, integrity } = input;
  const firstKept = startOfDay(createdAt - retentionDays * DAY_MS + DAY_MS - 1);
  const days = startsOf(Math.min(Math.max(period.from, firstKept), period.to), period.to, DAY_MS).map((day) =>
    dayOf(input, day),
  );
  const raised = alerts.filter(({ firstSeen }) => isWithin(firstSeen, period));
  return fitReport((maxItems) => {
    const shownReports = firstOf(reports, maxItems);
    const shownMutes = firstOf(mutesOf(input), maxItems);
    return {
      id: reportId(period),
      kind: "month",
      from: period.from,
      to: period.to,
      createdAt,
      unprocessedHighRiskEvents: input.unprocessedHighRiskEvents,
      events: sumOf(days, ({ events }) => events),
      failures: sumOf(days, ({ failures }) => failures),
      refusals: sumOf(days, ({ refusals }) => refusals),
      days,
      alerts: {
        raised: raised.length,
        acknowledged: raised.filter((alert) => answeredAt(alert) !== undefined).length,
        byLevel: countByLevel(raised),
        resolvedByCause: countByCause(alerts, period),
        open: alerts.filter(({ status, firstSeen }) => status === "open" && firstSeen < period.to).length,
      },
      reviewing: {
        reports: reports.length,
        unreviewed: reports.filter(({ reviewedAt }) => reviewedAt === undefined).length,
        list: shownReports.shown,
        moreReports: shownReports.more,
      },
      mutes: shownMutes.shown,
      moreMutes: shownMutes.more,
      rulesOff: [...rulesOff],
      connection,
      integrity,
      ...definedFields({ lastDrill, key: reportedKey(input.key), oldestEventAt: input.oldestEventAt }),
    };
  });
};
