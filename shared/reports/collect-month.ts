/** Reads the input of a month's report. */
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import type { MonthInput } from "./build-month-report.ts";
import { type ComplianceDependencies, readMutes, readRulesOff } from "./collect-compliance.ts";
import { type CountDaysDependencies, countDays } from "./collect-review.ts";
import type { ReadIntegrity, ReadLastDrill } from "./evidence-fields.ts";
import type { Period } from "./period.ts";
import type { PeriodEventsStore } from "./period-events-store.ts";
import { readAlerts, readItems } from "./read-lists.ts";
import type { ReportEntry, ReportPosition } from "./report.ts";
import type { ReportStore } from "./report-store.ts";

export type MonthDependencies = Pick<ComplianceDependencies, "mutes" | "rules"> & {
  counts: CountDaysDependencies;
  events: Pick<PeriodEventsStore, "countUnprocessed" | "oldest">;
  alerts: Pick<AlertStore, "list">;
  connections: Pick<ConnectionStore, "read">;
  reports: Pick<ReportStore, "list">;
  readLastDrill: ReadLastDrill;
  readIntegrity: ReadIntegrity;
  retentionDays: number;
};

const REPORTS_PER_PAGE = 100;

export const createMonthCollector = (dependencies: MonthDependencies) => {
  const { counts, events, alerts, connections, reports, mutes, rules, retentionDays } = dependencies;

  /** The daily and weekly reports whose period ended in the month, the latest first. */
  const readReports = async (organizationId: string, { from, to }: Period, now: number): Promise<ReportEntry[]> => {
    const found: ReportEntry[] = [];
    const listed = readItems((after?: ReportPosition) =>
      reports.list(organizationId, { limit: REPORTS_PER_PAGE, after, now }),
    );
    for await (const entry of listed) {
      if (entry.to <= from) break;
      if (entry.kind !== "month" && entry.to <= to) found.push(entry);
    }
    return found;
  };

  /**
   * Reads a month: about a read unit for its days, and a few for the rest.
   * @param now epoch ms.
   * @throws DomainError `store_unavailable`.
   */
  return async (organizationId: string, period: Period, now: number): Promise<MonthInput> => {
    const [
      days,
      unprocessedHighRiskEvents,
      oldest,
      found,
      connection,
      entries,
      foundMutes,
      rulesOff,
      lastDrill,
      integrity,
    ] = await Promise.all([
      countDays(counts, organizationId, period, now),
      events.countUnprocessed(organizationId, period.to, now),
      events.oldest(organizationId),
      readAlerts(alerts, organizationId, period.from, now),
      connections.read(organizationId),
      readReports(organizationId, period, now),
      readMutes(mutes, organizationId, now),
      readRulesOff(rules, organizationId),
      dependencies.readLastDrill(organizationId, period.to, now),
      dependencies.readIntegrity(organizationId, period, now),
    ]);
    return {
      period,
      createdAt: now,
      retentionDays,
      days,
      unprocessedHighRiskEvents,
      oldestEventAt: oldest?.timestamp,
      alerts: found,
      reports: entries,
      mutes: foundMutes,
      rulesOff,
      lastDrill,
      connection: connection.status,
      key: connection.status === "connected" ? connection.key : undefined,
      integrity,
    };
  };
};
