/** Reads the input of a compliance report. */
import type { ConnectionStore } from "../connection/connection-store.ts";
import { settingsOf } from "../detection/rule-settings.ts";
import type { RuleSettingsStore } from "../detection/rule-settings-store.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import { builtInRules } from "../security/alerts/finding.ts";
import { toSyncRun } from "../sync/sync-item.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { ComplianceInput, ErasureFact } from "./build-compliance-report.ts";
import { isWithin } from "./build-report.ts";
import { createDayCounter } from "./count-day.ts";
import type { ReadIntegrity, ReadLastDrill } from "./evidence-fields.ts";
import type { Period } from "./period.ts";
import type { PeriodEventsStore } from "./period-events-store.ts";
import { readAlerts, readEndedRuns, readItems } from "./read-lists.ts";

type ListPosition = { id: string };

/** An organization's erasures page by page, the latest request first. */
type ErasureList = {
  list(
    organizationId: string,
    page: { limit: number; after: ListPosition | undefined },
  ): Promise<{ items: readonly ErasureFact[]; next: ListPosition | undefined }>;
};

export type ComplianceDependencies = {
  events: Pick<PeriodEventsStore, "read" | "countUnprocessed" | "oldest">;
  runs: Pick<SyncRunStore, "list" | "readState">;
  alerts: Pick<AlertStore, "list">;
  connections: Pick<ConnectionStore, "read">;
  erasures: ErasureList;
  mutes: Pick<MuteStore, "list">;
  rules: Pick<RuleSettingsStore, "read">;
  readLastDrill: ReadLastDrill;
  readIntegrity: ReadIntegrity;
  retentionDays: number;
};

/** Older alerts that were resolved in the period, and the last comparison, are looked for within this time. */
const LOOK_BACK_MS = 28 * DAY_MS;

const ERASURES_PER_PAGE = 100;
/** Erasures complete within 30 days, and are rare: older requests are completed. */
const MAX_ERASURES = 1_000;

/** An organization's erasures, without the users whose data is erased. */
export const readErasures = async (erasures: ErasureList, organizationId: string): Promise<ErasureFact[]> => {
  const found: ErasureFact[] = [];
  const listed = readItems((after?: ListPosition) =>
    erasures.list(organizationId, { limit: ERASURES_PER_PAGE, after }),
  );
  for await (const { id, status, requestedAt, dueAt, completedAt } of listed) {
    found.push({ id, status, requestedAt, dueAt, completedAt });
    if (found.length === MAX_ERASURES) break;
  }
  return found;
};

const MUTES_PER_PAGE = 100;
/** More than an administrator makes in the time for which mutes are kept. */
const MAX_MUTES = 1_000;

export const readMutes = async (
  mutes: Pick<MuteStore, "list">,
  organizationId: string,
  now: number,
): Promise<MuteItem[]> => {
  const found: MuteItem[] = [];
  const listed = readItems((after?: string) => mutes.list(organizationId, { limit: MUTES_PER_PAGE, after, now }));
  for await (const mute of listed) {
    found.push(mute);
    if (found.length === MAX_MUTES) break;
  }
  return found;
};

/** The built-in rules of detection that are off. */
export const readRulesOff = async (
  rules: Pick<RuleSettingsStore, "read">,
  organizationId: string,
): Promise<string[]> => {
  const settings = await rules.read(organizationId);
  return builtInRules.filter((rule) => !settingsOf(settings, rule).enabled);
};

type Runs = Pick<ComplianceInput, "runs" | "comparedRun" | "lastSuccessAt">;

export const createComplianceCollector = ({
  events,
  runs,
  alerts,
  connections,
  erasures,
  mutes,
  rules,
  readLastDrill,
  readIntegrity,
  retentionDays,
}: ComplianceDependencies) => {
  const readDay = async (organizationId: string, period: Period, now: number) => {
    const counter = createDayCounter(period.from);
    for await (const event of events.read(organizationId, period, now)) counter.add(event);
    return counter.result();
  };

  const readRuns = async (organizationId: string, period: Period, now: number): Promise<Runs> => {
    // The state is read first: a run that ends between the two reads is then in both.
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
   * Reads a day: its events once, and a few units for the rest.
   * @param now epoch ms.
   * @throws DomainError `store_unavailable`.
   */
  return async (organizationId: string, period: Period, now: number): Promise<ComplianceInput> => {
    const [
      day,
      ofRuns,
      unprocessedHighRiskEvents,
      oldestEvent,
      found,
      connection,
      erasureFacts,
      foundMutes,
      rulesOff,
      lastDrill,
      integrity,
    ] = await Promise.all([
      readDay(organizationId, period, now),
      readRuns(organizationId, period, now),
      events.countUnprocessed(organizationId, period.to, now),
      events.oldest(organizationId),
      readAlerts(alerts, organizationId, period.from - LOOK_BACK_MS, now),
      connections.read(organizationId),
      readErasures(erasures, organizationId),
      readMutes(mutes, organizationId, now),
      readRulesOff(rules, organizationId),
      readLastDrill(organizationId, period.to, now),
      readIntegrity(organizationId, period, now),
    ]);
    return {
      period,
      createdAt: now,
      day,
      ...ofRuns,
      unprocessedHighRiskEvents,
      retentionDays,
      oldestEvent,
      connection: connection.status,
      key: connection.status === "connected" ? connection.key : undefined,
      alerts: found,
      erasures: erasureFacts,
      mutes: foundMutes,
      rulesOff,
      lastDrill,
      integrity,
    };
  };
};
