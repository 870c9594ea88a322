/**
 * What the two schedules of syncing do. Every few hours dispatch-syncs asks for a run of each connected organization; the
 * worker begins the run, once per occurrence (run-worker.ts). Every hour resume-stalled-syncs asks for a worker for runs
 * that have none, for scheduled runs that were lost (missed-runs.ts), for proofs of API keys (prove-key.ts), and for the
 * activity of each account (read-activity.ts). Both may be repeated.
 */
import * as z from "zod/mini";
import { needsProofs } from "../connection/platform-events.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { dispatch } from "../work/dispatch.ts";
import { isStalled, resumeJobs } from "../work/hand-over.ts";
import { beginOccurrence, findMissedRuns, type MissedRunsDependencies } from "./missed-runs.ts";
import type { OccurrenceStore } from "./occurrence-store.ts";
import { activityRequested, proofRequested, syncRequested } from "./sync-request.ts";
import type { SyncRunStore } from "./sync-run-store.ts";

export const SYNC_DISPATCH_TYPE = "SyncDispatchContinued";

/**
 * The detail of the event that continues a dispatch: its occurrence (epoch ms), and the last organization that was asked
 * for. The schedule's own event has neither.
 */
export const SyncDispatch = z.object({ slot: z.optional(z.number()), after: z.optional(z.string()) });
export type SyncDispatch = z.output<typeof SyncDispatch>;

const continuation = (detail: SyncDispatch): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: SYNC_DISPATCH_TYPE,
  detail,
});

export type DispatchDependencies = {
  /** All connected organizations in the order of their index, from the one after `after` on. */
  connectedOrganizations(after?: string): AsyncIterable<string>;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
  syncIntervalMs: number;
  occurrences: OccurrenceStore;
};

export const createSyncDispatcher =
  ({ connectedOrganizations, bus, clock, sleep, syncIntervalMs, occurrences }: DispatchDependencies) =>
  /**
   * Many organizations are spread over half of the interval, so that a dispatch ends before the next one begins.
   * @param continued where the invocation before ended; empty if the schedule started this one.
   * @param at the time of the event, epoch ms.
   * @throws Error if the bus does not take the requests; DomainError `store_unavailable`.
   */
  async ({ slot: begun, after }: SyncDispatch, at: number, remainingMs: () => number) => {
    const slot = begun ?? (await beginOccurrence(occurrences, at, syncIntervalMs));
    const items: string[] = [];
    for await (const organizationId of connectedOrganizations(after)) items.push(organizationId);
    const { dispatched, isHandedOver } = await dispatch({
      items,
      withinMs: slot + syncIntervalMs / 2 - clock(),
      toEvents: (batch) => batch.map((organizationId) => syncRequested({ organizationId, slot })),
      continueAfter: (organizationId) => continuation({ slot, after: organizationId }),
      bus,
      clock,
      sleep,
      remainingMs,
    });
    return { requested: dispatched, isHandedOver };
  };

/** A prime number, so that the hours begin at all organizations in turn. */
const STRIDE = 7_919;

export type ResumeDependencies = MissedRunsDependencies & {
  runs: Pick<SyncRunStore, "listActive" | "readState">;
  bus: Pick<EventBus, "publish">;
  sleep: (ms: number) => Promise<unknown>;
  /** The organizations whose API key must be proved. */
  withProofDue(now: number): Promise<readonly string[]>;
};

/**
 * Asks for a worker for each run without one, for each scheduled run that was lost, and, if the schedule's interval is
 * too long for proving API keys, for each proof that is due. Half a read unit for each of 16 shards, one for each run under
 * way, and those of findMissedRuns and withProofDue. At last, asks for the activity of all connected accounts.
 */
export const resumeSyncs = async (dependencies: ResumeDependencies, remainingMs: () => number) => {
  const { runs, bus, clock, sleep, syncIntervalMs, withProofDue, connectedOrganizations } = dependencies;
  const resumed = await resumeJobs(
    {
      jobs: runs.listActive(),
      bus,
      async find(organizationId) {
        const { run, leaseUntil } = await runs.readState(organizationId);
        if (run === undefined) return { request: undefined };
        const isWithoutWorker = isStalled({ leaseUntil, requestedAt: run.startedAt }, clock());
        return { request: isWithoutWorker ? syncRequested({ organizationId, runId: run.id }) : undefined };
      },
    },
    remainingMs,
  );
  const publish = (items: readonly BusEvent[], withinMs: number) =>
    dispatch({ items, withinMs, toEvents: (batch) => [...batch], bus, clock, sleep, remainingMs });
  const missed = await publish(await findMissedRuns(dependencies, remainingMs), HOUR_MS / 2);
  // Not spread over the hour. The next hour's search finds the proofs that are left, usually before they are late.
  const due = needsProofs(syncIntervalMs) ? await withProofDue(clock()) : [];
  const proofs = await publish(due.map(proofRequested), 0);
  const connected: string[] = [];
  for await (const organizationId of connectedOrganizations()) connected.push(organizationId);
  // What is left when the time ends waits for the next hour, which begins elsewhere.
  const first = (Math.floor(clock() / HOUR_MS) * STRIDE) % Math.max(1, connected.length);
  const turned = [...connected.slice(first), ...connected.slice(0, first)];
  const activity = await publish(turned.map(activityRequested), 0);
  return { ...resumed, missed: missed.dispatched, proofs: proofs.dispatched, activity: activity.dispatched };
};
