/** Reads the input of a security review. */
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import { firstIdAt } from "../security/event-id.ts";
import type { SecurityEventStore } from "../security/security-event-store.ts";
import { hoursOfDays, joinRanges, type RollupDependencies } from "../security/statistics/count-selection.ts";
import { type Counters, mergeCounters } from "../security/statistics/counters.ts";
import { isExact, isExpired } from "../security/statistics/rollup-store.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS, startOfDay } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import type { ReviewInput } from "./build-review-report.ts";
import { type CircuitTransition, type Hold, transitionOf } from "./circuit-time.ts";
import { type Period, startOfWeek, WEEK_MS } from "./period.ts";
import type { PeriodEventsStore } from "./period-events-store.ts";
import { readAlerts, readEndedRuns, readItems } from "./read-lists.ts";
import { WEEKS_BEFORE } from "./review-report.ts";

/** Epoch ms; `to` is exclusive. */
type Span = { from: number; to: number };

export type CountDaysDependencies = RollupDependencies;

const QUERIES_AT_ONCE = 6;

/**
 * Counts an organization's unexpired events by day: about a read unit for 35 days whose hours are closed. Days with open
 * hours, and days that have expired in part, are counted by their hours; if those are not exact, by their events.
 * docs/security-events.md, "Statistics".
 * @param span from one midnight to another.
 * @param now epoch ms.
 * @returns the counters by the beginning of each day with events.
 * @throws DomainError `store_unavailable`.
 */
export const countDays = async (
  { openHours, rollups, events }: CountDaysDependencies,
  organizationId: string,
  { from, to }: Span,
  now: number,
): Promise<Map<number, Counters>> => {
  const scope = organizationKey(organizationId);
  // Open hours are read first: an hour that is not open then has a complete rollup, even if hours are closed concurrently.
  const openBefore = (await openHours.list(scope, from)).filter((hour) => hour < to);
  const open = new Set(openBefore);
  const parts = new Map<number, Counters[]>();
  const add = (time: number, counters: Counters) => {
    const day = startOfDay(time);
    parts.set(day, [...(parts.get(day) ?? []), counters]);
  };

  const byHours = new Set(openBefore.map(startOfDay));
  for (const rollup of await rollups.list(scope, "day", { first: from, last: to - DAY_MS })) {
    const { start } = rollup.period;
    if (byHours.has(start) || isExpired(rollup, now)) continue;
    if (isExact(rollup, now)) add(start, rollup.counters);
    else byHours.add(start);
  }
  const byEvents = new Set(openBefore);
  await inParallel(hoursOfDays(byHours), QUERIES_AT_ONCE, async (span) => {
    for (const rollup of await rollups.list(scope, "hour", span)) {
      const { start } = rollup.period;
      if (open.has(start) || isExpired(rollup, now)) continue;
      if (isExact(rollup, now)) add(start, rollup.counters);
      else byEvents.add(start);
    }
  });
  const hoursByDay = Map.groupBy(
    [...byEvents].sort((a, b) => a - b),
    startOfDay,
  );
  const ranges = [...hoursByDay.values()].flatMap((hours) => joinRanges(hours, HOUR_MS));
  await inParallel(ranges, QUERIES_AT_ONCE, async (range) => {
    add(range.from, (await events.countRange(scope, range, { now }))?.counters ?? []);
  });
  return new Map([...parts].map(([day, counters]) => [day, mergeCounters(counters)]));
};

export type ReviewDependencies = {
  counts: CountDaysDependencies;
  events: Pick<SecurityEventStore, "list">;
  periodEvents: Pick<PeriodEventsStore, "countUnprocessed" | "oldest">;
  connections: Pick<ConnectionStore, "read">;
  runs: Pick<SyncRunStore, "list">;
  alerts: Pick<AlertStore, "list">;
  circuits: Pick<CircuitStore, "read">;
  retentionDays: number;
};

const TRANSITIONS_PER_PAGE = 500;
/** Of a circuit with more transitions, only the latest ones are read. */
const MAX_TRANSITIONS = 5_000;

export const createReviewCollector = ({
  counts,
  events,
  periodEvents,
  runs,
  alerts,
  circuits,
  connections,
  retentionDays,
}: ReviewDependencies) => {
  /** The Monday of the first week that is complete from a time on. */
  const firstWeekFrom = ({ from }: Period, time: number): number => {
    const first = startOfWeek(time) === time ? time : startOfWeek(time) + WEEK_MS;
    return Math.min(from, Math.max(from - WEEKS_BEFORE * WEEK_MS, first));
  };

  /**
   * The day of the oldest trace of an organization, which may be an expired event. No request creates an organization: it
   * exists since its first event. SECURITY_LOG_LEVEL may leave out events, so connection, runs and alerts are traces, too.
   */
  const readFirstDay = async (organizationId: string, others: readonly number[]): Promise<number> => {
    const [oldest, connection] = await Promise.all([
      periodEvents.oldest(organizationId),
      connections.read(organizationId),
    ]);
    const traces = [oldest?.timestamp, connection.status === "disconnected" ? undefined : connection.connectedAt];
    return startOfDay(Math.min(...others, ...traces.filter((time) => time !== undefined)));
  };

  /** The transitions up to a span's end, and the last one before the span. */
  const readTransitions = async (organizationId: string, { from, to }: Span, now: number) => {
    const transitions: CircuitTransition[] = [];
    const selection = { organizationId, since: 0, eventType: "CIRCUIT_BREAKER_CHANGED" };
    const recorded = readItems(async (after?: string) => {
      const page = await events.list(selection, { limit: TRANSITIONS_PER_PAGE, after, now });
      return { items: page.events, next: page.next };
    }, firstIdAt(to));
    for await (const event of recorded) {
      const transition = transitionOf(event);
      if (transition === undefined) continue;
      if (transitions.push(transition) === MAX_TRANSITIONS || transition.at < from) break;
    }
    return transitions;
  };

  const readHold = async (organizationId: string): Promise<Hold | undefined> => {
    const circuit = await circuits.read(organizationId);
    if (circuit.state !== "forced_open" || circuit.until === undefined) return undefined;
    return { generation: circuit.generation, until: circuit.until };
  };

  const readRuns = async (organizationId: string, { from, to }: Span, now: number) => {
    const found: SyncRun[] = [];
    for await (const run of readEndedRuns(runs, organizationId, to, now)) {
      if (run.startedAt < from) break;
      found.push(run);
    }
    return found;
  };

  /**
   * Reads five weeks: a few units from rollups, and the rest from indexes.
   * @param now epoch ms.
   * @throws DomainError `store_unavailable`.
   */
  return async (organizationId: string, period: Period, now: number): Promise<ReviewInput> => {
    const storedFrom = firstWeekFrom(period, now - retentionDays * DAY_MS);
    const span = { from: storedFrom, to: period.to };
    const [days, unprocessedHighRiskEvents, found, ofRuns, transitions, hold] = await Promise.all([
      countDays(counts, organizationId, span, now),
      periodEvents.countUnprocessed(organizationId, period.to, now),
      readAlerts(alerts, organizationId, storedFrom, now),
      readRuns(organizationId, span, now),
      readTransitions(organizationId, span, now),
      readHold(organizationId),
    ]);
    const traces = [...ofRuns.map(({ startedAt }) => startedAt), ...found.map(({ firstSeen }) => firstSeen)];
    const firstDay = await readFirstDay(organizationId, [period.from, ...traces]);
    const knownFrom = Math.max(storedFrom, firstWeekFrom(period, firstDay));
    return {
      period,
      createdAt: now,
      knownFrom,
      days,
      unprocessedHighRiskEvents,
      alerts: found,
      runs: ofRuns,
      transitions,
      hold,
    };
  };
};
