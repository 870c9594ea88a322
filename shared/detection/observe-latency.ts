/**
 * Watches how long an instance's operations against the provider take, and finds at once that they have become slow.
 * While they are quick it costs nothing: their events are what tells of them, and the hourly run sums those up.
 */
import type { LatencyObserver, TimedOperation } from "../provider/record-operation.ts";
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { Finding } from "../security/alerts/finding.ts";
import { HOUR_MS } from "../terms/hours.ts";
import type { BaselineStore } from "./baseline-store.ts";
import { detectionScope } from "./detection-keys.ts";
import type { OperationsStore } from "./operations-store.ts";
import type { RaiseFinding } from "./raise-findings.ts";
import {
  DEGRADED,
  judgeLatency,
  LAST_OPERATIONS,
  type Latency,
  withOperation,
} from "./rules/performance-degradation.ts";
import type { WindowStore } from "./window-store.ts";
import { withinTime } from "./within-time.ts";

export type LatencyParts = {
  windows: Pick<WindowStore, "latest">;
  baselines: Pick<BaselineStore, "get">;
  operations: OperationsStore;
  raise: RaiseFinding;
  now: Clock;
};

/** Somebody may wait for the invocation's end. */
const FLUSH_WITHIN_MS = 2_000;

/** What is known of an organization's operations before the given ones, which have their events already. */
const createReadLatency =
  ({ windows, baselines, operations, now }: LatencyParts) =>
  async (organizationId: string, current: readonly TimedOperation[]): Promise<Latency> => {
    const scope = detectionScope(organizationId);
    const [window, baseline] = await Promise.all([windows.latest(scope, now()), baselines.get(scope)]);
    const judgedUntil = window === undefined ? 0 : window.hour + HOUR_MS;
    const known = new Set(current.map(({ id }) => id));
    const asked = { since: judgedUntil, least: LAST_OPERATIONS + current.length };
    const before = (await operations.latest(organizationId, asked)).filter(({ id }) => !known.has(id));
    const summed = [window?.ended, window?.today].flatMap((day) => {
      if (day?.operations === undefined || (baseline !== undefined && day.day <= baseline.through)) return [];
      return [{ day: day.day, operations: day.operations.count, totalMs: day.operations.totalMs }];
    });
    const judged: Latency = { last: [], days: [...(baseline?.operations ?? []), ...summed] };
    const { days } = before.filter(({ at }) => at >= judgedUntil).reduce(withOperation, judged);
    const last = before.slice(-LAST_OPERATIONS).map(({ id, at, durationMs = 0 }) => ({ id, at, durationMs }));
    return { last, days };
  };

/** The findings that the operations complete, one an hour. */
const judge = (before: Latency, current: readonly TimedOperation[]): Finding[] => {
  const findings = new Map<string, Finding>();
  let latency = before;
  for (const operation of current) {
    latency = withOperation(latency, operation);
    const finding = judgeLatency(latency);
    if (finding === undefined) continue;
    // Below the log level operations have no events that could be named.
    findings.set(finding.occurrence, { ...finding, eventIds: finding.eventIds.filter((id) => id !== "") });
  }
  return [...findings.values()];
};

export const createLatencyObserver = (parts: LatencyParts): LatencyObserver => {
  const readLatency = createReadLatency(parts);
  const observed = new Map<string, TimedOperation[]>();

  const judgeOrganization = async (organizationId: string, current: readonly TimedOperation[]): Promise<void> => {
    // Ten of which none is slow cannot be.
    if (current.every(({ durationMs }) => durationMs < DEGRADED.leastMs)) return;
    const inOrder = current.toSorted((a, b) => a.at - b.at);
    const before = await readLatency(organizationId, inOrder);
    for (const finding of judge(before, inOrder)) await parts.raise(organizationId, finding);
  };

  return {
    observe(organizationId, operation) {
      const known = observed.get(organizationId);
      if (known === undefined) observed.set(organizationId, [operation]);
      else known.push(operation);
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
        writeLog("warn", "How long operations take was not judged", { cause });
      }
    },
  };
};
