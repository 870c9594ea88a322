/** Reads what a security review is built from. */
import type { CircuitStore } from "../circuit-breaker/circuit-store.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import { firstIdAt } from "../security/event-id.ts";
import type { SecurityEventStore } from "../security/security-event-store.ts";
import type { SyncRun } from "../sync/sync-run.ts";
import type { SyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { ReviewInput } from "./build-review-report.ts";
import { type CircuitMove, type Hold, moveOfEvent } from "./circuit-time.ts";
import { type CountDaysParts, countDays } from "./count-days.ts";
import { type Period, startOfWeek, WEEK_MS } from "./period.ts";
import type { PeriodEventsStore } from "./period-events-store.ts";
import { readAlerts, readEndedRuns } from "./read-lists.ts";
import { WEEKS_BEFORE } from "./review-report.ts";

export type ReviewParts = {
  counts: CountDaysParts;
  events: Pick<SecurityEventStore, "list">;
  periodEvents: Pick<PeriodEventsStore, "countUnprocessed">;
  runs: Pick<SyncRunStore, "list">;
  alerts: Pick<AlertStore, "list">;
  circuits: Pick<CircuitStore, "read">;
  retentionDays: number;
};

const MOVES_PER_PAGE = 500;
/** A circuit that changes more often is known for its last so many changes. */
const MAX_MOVES = 5_000;

export const createReviewCollector = (parts: ReviewParts) => {
  const { counts, events, periodEvents, runs, alerts, circuits, retentionDays } = parts;

  /** The first week that is still stored as a whole. */
  const firstKnownWeek = ({ from }: Period, now: number): number => {
    const oldest = now - retentionDays * DAY_MS;
    const first = startOfWeek(oldest) === oldest ? oldest : startOfWeek(oldest) + WEEK_MS;
    return Math.min(from, Math.max(from - WEEKS_BEFORE * WEEK_MS, first));
  };

  /** Transitions up to a time, down to the first one before another; the newest first. */
  const readMoves = async (organizationId: string, { from, to }: { from: number; to: number }, now: number) => {
    const moves: CircuitMove[] = [];
    const selection = { organizationId, since: 0, eventType: "CIRCUIT_BREAKER_CHANGED" };
    let after: string | undefined = firstIdAt(to);
    while (after !== undefined && moves.length < MAX_MOVES) {
      const page: Awaited<ReturnType<SecurityEventStore["list"]>> = await events.list(selection, {
        limit: MOVES_PER_PAGE,
        after,
        now,
      });
      moves.push(...page.events.flatMap((event) => moveOfEvent(event) ?? []));
      after = (page.events.at(-1)?.timestamp ?? 0) < from ? undefined : page.next;
    }
    return moves;
  };

  const readHold = async (organizationId: string): Promise<Hold | undefined> => {
    const circuit = await circuits.read(organizationId);
    if (circuit.state !== "forced_open" || circuit.until === undefined) return undefined;
    return { generation: circuit.generation, until: circuit.until };
  };

  const readRuns = async (organizationId: string, { from, to }: { from: number; to: number }, now: number) => {
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
    const knownFrom = firstKnownWeek(period, now);
    const span = { from: knownFrom, to: period.to };
    const [days, unprocessedHighRiskEvents, found, ofRuns, moves, hold] = await Promise.all([
      countDays(counts, organizationId, span, now),
      periodEvents.countUnprocessed(organizationId, period.to, now),
      readAlerts(alerts, organizationId, knownFrom, now),
      readRuns(organizationId, span, now),
      readMoves(organizationId, span, now),
      readHold(organizationId),
    ]);
    return {
      ...{ period, createdAt: now, knownFrom, days, unprocessedHighRiskEvents },
      ...{ alerts: found, runs: ofRuns, moves, hold },
    };
  };
};
