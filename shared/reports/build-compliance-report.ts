/** Builds the compliance report of a day. Pure. */
import type { ConnectionStatus } from "../connection/connection.ts";
import type { StoredKey } from "../connection/key.ts";
import { definedFields } from "../json/defined-fields.ts";
import { levelsOf } from "../mutes/mute.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import { actsWithin } from "../mutes/mute-times.ts";
import { recordTypes } from "../records/record.ts";
import type { Alert } from "../security/alerts/alert.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import { DAY_MS } from "../terms/hours.ts";
import {
  answeredAt,
  countByCause,
  countByLevel,
  firstOf,
  fitReport,
  isAboutAddress,
  isWithin,
  median,
  reportedAlert,
  sumOf,
  timeToAcknowledge,
} from "./build-report.ts";
import type { ComplianceReport, ReportedErasure, ReportedMute, ReportedSync, UserAccess } from "./compliance-report.ts";
import type { DayCounts } from "./count-day.ts";
import type { ReportedDrill, ReportedIntegrity } from "./evidence-fields.ts";
import { type Period, reportId } from "./period.ts";

/** An erasure request, without the user whose data is erased. Times in epoch ms. */
export type ErasureFact = {
  id: string;
  status: string;
  requestedAt: number;
  dueAt: number;
  completedAt?: number | undefined;
};

export type ComplianceInput = {
  period: Period;
  /** Epoch ms. */
  createdAt: number;
  day: DayCounts;
  /** HIGH and CRITICAL events that were unprocessed at the period's end. */
  unprocessedHighRiskEvents: number;
  retentionDays: number;
  /** The oldest stored event; times in epoch ms. */
  oldestEvent: { timestamp: number; expiresAt: number } | undefined;
  connection: ConnectionStatus;
  /** The stored key, if the account is connected. */
  key: StoredKey | undefined;
  /** Those that began in the period, in any order. */
  runs: readonly SyncRun[];
  lastSuccessAt: number | undefined;
  /** The last run before the period's end that compared both sides. */
  comparedRun: SyncRun | undefined;
  /** In any order; those of other times are left out. */
  alerts: readonly Alert[];
  erasures: readonly ErasureFact[];
  /** The latest first; those of other times are left out. */
  mutes: readonly MuteItem[];
  /** The built-in rules of detection that are off. */
  rulesOff: readonly string[];
  lastDrill: ReportedDrill | undefined;
  integrity: ReportedIntegrity;
};

/** DynamoDB removes expired items within this time. */
const REMOVAL_MS = 2 * DAY_MS;

const byRefusals = (a: UserAccess, b: UserAccess): number =>
  b.refusals - a.refusals || b.calls - a.calls || (a.userId < b.userId ? -1 : 1);

const completenessOf = (run: SyncRun | undefined): ReportedSync["completeness"] => {
  const { completeness } = run ?? {};
  if (run === undefined || completeness === undefined) return undefined;
  const types = recordTypes.flatMap((type) => {
    const compared = completeness[type];
    if (compared === undefined) return [];
    const { listed, stored, onlyListed, onlyStored } = compared;
    return [{ type, listed, stored, onlyListed: onlyListed.length, onlyStored: onlyStored.length }];
  });
  const isComplete = types.every(({ onlyListed, onlyStored }) => onlyListed === 0 && onlyStored === 0);
  return { runId: run.id, at: run.finishedAt ?? run.startedAt, isComplete, types };
};

export const reportedKey = (key: StoredKey | undefined): ReportedSync["key"] =>
  key && { kind: key.kind, mode: key.mode, since: key.since };

const syncOf = (input: ComplianceInput, maxItems: number): ReportedSync => {
  const { connection, key, runs, lastSuccessAt, comparedRun } = input;
  const ofStatus = (status: SyncRun["status"]) => runs.filter((run) => run.status === status);
  const failed = ofStatus("failed").sort((a, b) => a.startedAt - b.startedAt);
  const failures = firstOf(failed, maxItems);
  return {
    connection,
    runs: runs.length,
    succeeded: ofStatus("succeeded").length,
    failed: failed.length,
    cancelled: ofStatus("cancelled").length,
    running: ofStatus("running").length,
    written: sumOf(runs, ({ progress }) => sumOf(recordTypes, (type) => progress[type].written)),
    failures: failures.shown.map(({ id, startedAt, error }) => ({
      id,
      startedAt,
      category: error?.category ?? "system",
      message: error?.message ?? "",
    })),
    moreFailures: failures.more,
    ...definedFields({
      key: reportedKey(key),
      lastSuccessAt,
      completeness: completenessOf(comparedRun),
    }),
  };
};

const alertsOf = ({ alerts, period }: ComplianceInput, maxItems: number): ComplianceReport["alerts"] => {
  const raised = alerts.filter(({ firstSeen }) => isWithin(firstSeen, period));
  const shown = firstOf(
    alerts
      .filter(({ status, firstSeen, acknowledgedAt, resolvedAt, assignedAt, commentedAt }) => {
        if (firstSeen >= period.to) return false;
        const changes = [firstSeen, acknowledgedAt, resolvedAt, assignedAt, commentedAt];
        if (changes.some((time) => isWithin(time, period))) return true;
        return status === "open";
      })
      .sort((a, b) => b.firstSeen - a.firstSeen || (a.id < b.id ? 1 : -1)),
    maxItems,
  );
  // Each alert counts once: in the report of the day on which it was answered.
  const answered = alerts.filter((alert) => isWithin(answeredAt(alert), period));
  return {
    raised: raised.length,
    acknowledged: raised.filter((alert) => answeredAt(alert) !== undefined).length,
    byLevel: countByLevel(raised),
    resolvedByCause: countByCause(alerts, period),
    ...definedFields({
      medianTimeToAcknowledgeMs: median(answered.flatMap((alert) => timeToAcknowledge(alert) ?? [])),
    }),
    list: shown.shown.map(reportedAlert),
    moreAlerts: shown.more,
  };
};

const retentionOf = ({ retentionDays, oldestEvent, period }: ComplianceInput): ComplianceReport["retention"] => ({
  days: retentionDays,
  ...definedFields({ oldestEventAt: oldestEvent?.timestamp }),
  isHeld: oldestEvent === undefined || oldestEvent.expiresAt + REMOVAL_MS > period.to,
});

const erasuresOf = ({ erasures, period }: ComplianceInput): ReportedErasure[] =>
  erasures
    .filter(({ requestedAt, completedAt }) => requestedAt < period.to && (completedAt ?? period.to) >= period.to)
    .sort((a, b) => a.dueAt - b.dueAt)
    .map(({ id, status, requestedAt, dueAt }) => ({
      id,
      status,
      requestedAt,
      dueAt,
      daysLeft: Math.floor((dueAt - period.to) / DAY_MS),
    }));

export const mutesOf = ({ mutes, period }: Pick<ComplianceInput, "mutes" | "period">): ReportedMute[] =>
  mutes
    .filter((mute) => actsWithin(mute, period))
    .map((mute) => ({
      id: mute.id,
      ...definedFields({
        rules: mute.rules,
        subject: isAboutAddress(mute.subject ?? "") ? undefined : mute.subject,
      }),
      levels: [...levelsOf(mute)],
      from: mute.from,
      until: mute.endedAt ?? mute.until,
      weekly: mute.weekly !== undefined,
      who: mute.createdBy,
      why: mute.reason,
      hiddenAlerts: mute.hiddenAlerts,
    }));

export const buildComplianceReport = (input: ComplianceInput): ComplianceReport => {
  const { period, createdAt, day, unprocessedHighRiskEvents } = input;
  const users = [...day.users].sort(byRefusals);
  const changes = [...day.changes].sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
  return fitReport((maxItems) => {
    const shownUsers = firstOf(users, maxItems);
    const shownChanges = firstOf(changes, maxItems);
    const shownMutes = firstOf(mutesOf(input), maxItems);
    const shownErasures = firstOf(erasuresOf(input), maxItems);
    return {
      id: reportId(period),
      kind: "compliance",
      from: period.from,
      to: period.to,
      createdAt,
      unprocessedHighRiskEvents,
      events: day.events,
      access: {
        calls: sumOf(users, ({ calls }) => calls) + day.withoutUser.calls,
        refusals: sumOf(users, ({ refusals }) => refusals) + day.withoutUser.refusals,
        users: shownUsers.shown,
        moreUsers: shownUsers.more,
        withoutUser: day.withoutUser,
      },
      changes: shownChanges.shown,
      moreChanges: shownChanges.more,
      exports: day.exports,
      sync: syncOf(input, maxItems),
      retention: retentionOf(input),
      erasures: shownErasures.shown,
      moreErasures: shownErasures.more,
      mutes: shownMutes.shown,
      moreMutes: shownMutes.more,
      rulesOff: [...input.rulesOff],
      ...definedFields({ lastDrill: input.lastDrill }),
      integrity: input.integrity,
      alerts: alertsOf(input, maxItems),
    };
  });
};
