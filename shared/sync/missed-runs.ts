/**
 * Scheduled runs that were lost: the schedule's event, its continuation or the request of a run was given up before the
 * run began, or the worker of a run that has no index entry yet has crashed. Every hour resume-stalled-syncs compares
 * the state of each connected organization with the schedule's last occurrence. docs/sync.md, "The schedule".
 */

import { chunksOf } from "../runtime/chunks.ts";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { BATCH_INTERVAL_MS, MIN_BATCH } from "../work/dispatch.ts";
import { isStalled } from "../work/hand-over.ts";
import { LATE_MS, lostOccurrences } from "./next-occurrence.ts";
import type { Occurrence, OccurrenceStore } from "./occurrence-store.ts";
import { syncRequested } from "./sync-request.ts";
import type { RunStatus, SyncRunStore } from "./sync-run-store.ts";

const REPLACE_ATTEMPTS = 3;
const STATES_PER_READ = 600;

/** Of the function's 5 minutes, the search leaves half to the requests. */
const LEFT_TO_DISPATCH_MS = 150_000;

/**
 * Each hour's search begins seven sixteenths of the organizations further than the last one. So if the time is too short for
 * all, the searches of the next hours read the others.
 */
const STARTS = 16;
const START_STEP = 7;

/** The organizations in the order of an hour's search. */
const inTurn = (organizations: readonly string[], now: number): string[] => {
  const turn = (Math.floor(now / HOUR_MS) * START_STEP) % STARTS;
  const start = Math.floor((organizations.length * turn) / STARTS);
  return [...organizations.slice(start), ...organizations.slice(0, start)];
};

/**
 * Whether an occurrence that was assumed to be lost is the one of a late event. The second condition holds if schedules
 * were delayed: the event of the schedule comes right after the hourly search.
 */
const isAssumed = ({ slot, assumedAt }: Occurrence, at: number, intervalMs: number): boolean =>
  assumedAt !== undefined && (Math.abs(at - slot) < intervalMs - LATE_MS || Math.abs(at - assumedAt) < LATE_MS);

/**
 * Stores an occurrence of the schedule. Repeated, it changes nothing.
 * @param at the time of the schedule's event, epoch ms.
 * @returns the slot of its runs: `at`, or the slot under which the hourly search has requested these runs already.
 * @throws DomainError `store_unavailable`; Error if other invocations keep storing occurrences.
 */
export const beginOccurrence = async (store: OccurrenceStore, at: number, intervalMs: number): Promise<number> => {
  for (let attempt = 0; attempt < REPLACE_ATTEMPTS; attempt++) {
    const known = await store.read();
    if (known !== undefined && isAssumed(known, at, intervalMs)) return known.slot;
    if (known !== undefined && known.slot >= at) return at;
    if (await store.replace({ slot: at }, known)) return at;
  }
  throw new Error("The occurrence of the schedule was not stored.");
};

export type MissedRunsDependencies = {
  occurrences: OccurrenceStore;
  connectedOrganizations: () => AsyncIterable<string>;
  runs: Pick<SyncRunStore, "readStatuses">;
  clock: Clock;
  syncIntervalMs: number;
};

/** @returns the slot of the last occurrence, even if its event was lost; undefined before the first one. */
const lastSlot = async (
  { occurrences, syncIntervalMs }: MissedRunsDependencies,
  now: number,
): Promise<number | undefined> => {
  const known = await occurrences.read();
  if (known === undefined) {
    await occurrences.replace({ slot: now, isStart: true }, undefined);
    return undefined;
  }
  const lost = lostOccurrences(known, now, syncIntervalMs);
  if (lost === 0) return known.isStart === true ? undefined : known.slot;
  const slot = known.slot + lost * syncIntervalMs;
  if (!(await occurrences.replace({ slot, assumedAt: now }, known))) return undefined;
  const message = "An occurrence of the schedule of syncs was lost; its runs are requested now";
  writeLog("warn", message, { slot }, { LostSyncOccurrences: 1 });
  return slot;
};

/** The request that an organization lacks. @param slot of an occurrence whose runs must have begun by now. */
const missingRequest = (
  organizationId: string,
  { run, leaseUntil, isIndexed, slot: begun = 0, scheduledFrom = 0, wantedSlot = 0 }: RunStatus,
  slot: number | undefined,
  now: number,
): BusEvent | undefined => {
  if (run !== undefined) {
    const isLost = !isIndexed && isStalled({ leaseUntil, requestedAt: run.startedAt }, now);
    return isLost ? syncRequested({ organizationId, runId: run.id }) : undefined;
  }
  if (wantedSlot > begun && wantedSlot + LATE_MS < now) return syncRequested({ organizationId, slot: wantedSlot });
  return slot !== undefined && slot > Math.max(begun, scheduledFrom)
    ? syncRequested({ organizationId, slot })
    : undefined;
};

/**
 * The requests of all lost runs, or of those that half of the function's time finds; the next hours find the others. Half a
 * read unit for each connected organization and each 4 KB of its state.
 * @throws DomainError `store_unavailable`.
 */
export const findMissedRuns = async (
  dependencies: MissedRunsDependencies,
  remainingMs: () => number,
): Promise<BusEvent[]> => {
  const { connectedOrganizations, runs, clock, syncIntervalMs } = dependencies;
  const now = clock();
  const slot = await lastSlot(dependencies, now);
  const organizations: string[] = [];
  for await (const organizationId of connectedOrganizations()) organizations.push(organizationId);
  // The dispatch spreads its requests over this time at most (shared/work/dispatch.ts).
  const spreadMs = Math.min((organizations.length * BATCH_INTERVAL_MS) / MIN_BATCH, syncIntervalMs / 2);
  const due = slot !== undefined && slot + spreadMs + LATE_MS < now ? slot : undefined;
  const requests: BusEvent[] = [];
  for (const chunk of chunksOf(inTurn(organizations, now), STATES_PER_READ)) {
    const statuses = await runs.readStatuses(chunk);
    for (const organizationId of chunk) {
      const request = missingRequest(organizationId, statuses.get(organizationId) ?? noRun, due, now);
      if (request !== undefined) requests.push(request);
    }
    if (remainingMs() < LEFT_TO_DISPATCH_MS) break;
  }
  return requests;
};

const noRun: RunStatus = { isIndexed: false };
