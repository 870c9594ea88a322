/** Reads what a compliance report is built from. */
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import { toSyncRun } from "../sync/sync-item.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { ComplianceInput, ErasureFact } from "./build-compliance-report.ts";
import { createDayTally } from "./day-tally.ts";
import type { Period } from "./period.ts";
import type { PeriodEventsStore } from "./period-events-store.ts";
import { readAlerts, readEndedRuns } from "./read-lists.ts";
import { isWithin } from "./reported-alert.ts";

/** What erasures of an organization there are; expired ones may be missing. Throws DomainError `store_unavailable`. */
export type ListErasures = (organizationId: string) => Promise<readonly ErasureFact[]>;

export type ComplianceParts = {
  events: Pick<PeriodEventsStore, "read" | "countUnprocessed" | "oldest">;
  runs: Pick<SyncRunStore, "list" | "readState">;
  alerts: Pick<AlertStore, "list">;
  connections: Pick<ConnectionStore, "read">;
  listErasures: ListErasures;
  retentionDays: number;
};

/** Older alerts that were resolved in the period, and the last comparison, are looked for so far back. */
const LOOK_BACK_MS = 28 * DAY_MS;

type Runs = Pick<ComplianceInput, "runs" | "comparedRun" | "lastSuccessAt">;

export const createComplianceCollector = (parts: ComplianceParts) => {
  const { events, runs, alerts, connections, listErasures, retentionDays } = parts;

  const readDay = async (organizationId: string, period: Period, now: number) => {
    const tally = createDayTally(period.from);
    for await (const event of events.read(organizationId, period, now)) tally.add(event);
    return tally.result();
  };

  const readRuns = async (organizationId: string, period: Period, now: number): Promise<Runs> => {
    // The state first: a run that ends between the two reads is then in both rather than in none.
    const { run, lastSuccessAt } = await runs.readState(organizationId);
    const ofPeriod: SyncRun[] = [];
    let comparedRun: SyncRun | undefined;
    for await (const ended of readEndedRuns(runs, organizationId, period.to, now)) {
      if (isWithin(ended.startedAt, period)) ofPeriod.push(ended);
      if (ended.completeness !== undefined) comparedRun ??= ended;
      if (ended.startedAt < period.from && (comparedRun !== undefined || ended.startedAt < period.to - LOOK_BACK_MS))
        break;
    }
    const isActive = run !== undefined && isWithin(run.startedAt, period) && ofPeriod.every(({ id }) => id !== run.id);
    return { runs: isActive ? [toSyncRun(run), ...ofPeriod] : ofPeriod, comparedRun, lastSuccessAt };
  };

  /**
   * Reads a day: its events once, and a few units for the rest. Side by side, as the function has nothing else to do.
   * @param now epoch ms.
   * @throws DomainError `store_unavailable`.
   */
  return async (organizationId: string, period: Period, now: number): Promise<ComplianceInput> => {
    const [day, ofRuns, unprocessed, oldestEvent, found, connection, erasures] = await Promise.all([
      readDay(organizationId, period, now),
      readRuns(organizationId, period, now),
      events.countUnprocessed(organizationId, period.to, now),
      events.oldest(organizationId),
      readAlerts(alerts, organizationId, period.from - LOOK_BACK_MS, now),
      connections.read(organizationId),
      listErasures(organizationId),
    ]);
    return {
      period,
      createdAt: now,
      day,
      ...ofRuns,
      unprocessedHighRiskEvents: unprocessed,
      retentionDays,
      oldestEvent,
      connection: connection.status,
      alerts: found,
      erasures,
    };
  };
};
