/**
 * Observes the latency of an instance's operations against the provider, and raises a finding at once if they have become
 * slow. While all are quick it reads nothing; the hourly run adds their durations to the day's counts.
 */
import type { LatencyObserver, TimedOperation } from "../provider/record-operation.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { Finding } from "../security/alerts/finding.ts";
import { HOUR_MS } from "../terms/hours.ts";
import type { BaselineStore } from "./baseline-store.ts";
import { detectionScope } from "./detection.ts";
import type { OperationFactsStore } from "./event-facts-store.ts";
import { createVisibility, type Visibility } from "./evidence/known.ts";
import { LAST_OPERATIONS, type Latency, withOperation } from "./evidence/latency.ts";
import { type RaiseFinding, withinTime } from "./raise-finding.ts";
import { type RevisedSettings, settingsOf, withLevel } from "./rule-settings.ts";
import type { RuleSettingsStore } from "./rule-settings-store.ts";
import { latencyRule } from "./rules/rules.ts";
import type { WindowStore } from "./window-store.ts";

export type LatencyDependencies = {
  windows: Pick<WindowStore, "latest">;
  baselines: Pick<BaselineStore, "get">;
  operations: OperationFactsStore;
  settings: Pick<RuleSettingsStore, "read">;
  raise: RaiseFinding;
  now: Clock;
};

/** The end of the invocation waits no longer. */
const FLUSH_WITHIN_MS = 2_000;

/** The latency before the given operations, whose events are stored already. */
const createReadLatency =
  ({ windows, baselines, operations, now }: LatencyDependencies) =>
  async (organizationId: string, current: readonly TimedOperation[], visible: Visibility): Promise<Latency> => {
    const scope = detectionScope(organizationId);
    const [window, baseline] = await Promise.all([windows.latest(scope, now()), baselines.get(scope)]);
    const judgedUntil = window === undefined ? 0 : window.hour + HOUR_MS;
    const currentIds = new Set(current.map(({ id }) => id));
    const range = { since: judgedUntil, least: LAST_OPERATIONS + current.length };
    const before = visible
      .facts(await operations.latest(organizationId, range))
      .filter(({ id }) => !currentIds.has(id));
    // Days that were judged and are not in the baseline yet.
    const judgedDays = [window?.ended, window?.today].flatMap((day) => {
      if (day?.operations === undefined || (baseline !== undefined && day.day <= baseline.through)) return [];
      return [{ day: day.day, operations: day.operations.count, totalMs: day.operations.totalMs }];
    });
    const judged: Latency = { last: [], days: [...(baseline?.operations ?? []), ...judgedDays] };
    const { days } = before.filter(({ at }) => at >= judgedUntil).reduce(withOperation, judged);
    const last = before.slice(-LAST_OPERATIONS).map(({ id, at, durationMs = 0 }) => ({ id, at, durationMs }));
    return { last, days };
  };

/** The findings that the operations complete, at most one per hour. */
const judge = (
  before: Latency,
  current: readonly TimedOperation[],
  { thresholds, level }: RevisedSettings,
): Finding[] => {
  const findings = new Map<string, Finding>();
  let latency = before;
  for (const operation of current) {
    latency = withOperation(latency, operation);
    const finding = latencyRule.judgeOperations(latency, thresholds);
    if (finding === undefined) continue;
    // Operations below the log level have no events, and an empty id.
    findings.set(finding.occurrence, {
      ...withLevel(finding, level),
      eventIds: finding.eventIds.filter((id) => id !== ""),
    });
  }
  return [...findings.values()];
};

export const createLatencyObserver = (dependencies: LatencyDependencies): LatencyObserver => {
  const readLatency = createReadLatency(dependencies);
  const observed = new Map<string, TimedOperation[]>();

  const judgeOrganization = async (organizationId: string, current: readonly TimedOperation[]): Promise<void> => {
    // Without a slow operation the last ten cannot be slow.
    const { slowOperationMs } = latencyRule.needs();
    const isSlow = ({ durationMs }: TimedOperation): boolean => durationMs >= slowOperationMs;
    if (!current.some(isSlow)) return;
    const settings = settingsOf(await dependencies.settings.read(organizationId), latencyRule.id);
    const visible = createVisibility(settings.known);
    const inOrder = current.filter(visible.isVisible).sort((a, b) => a.at - b.at);
    if (!settings.enabled || !inOrder.some(isSlow)) return;
    const before = await readLatency(organizationId, inOrder, visible);
    for (const finding of judge(before, inOrder, settings)) await dependencies.raise(organizationId, finding);
  };

  return {
    observe(organizationId, operation) {
      const operations = observed.get(organizationId);
      if (operations === undefined) observed.set(organizationId, [operation]);
      else operations.push(operation);
    },

    async flush() {
      const all = [...observed];
      observed.clear();
      try {
        await withinTime(
          Promise.all(all.map(([id, operations]) => judgeOrganization(id, operations))),
          FLUSH_WITHIN_MS,
        );
      } catch (error) {
        const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        writeLog("warn", "Judging the latency of operations failed", { cause });
      }
    },
  };
};
