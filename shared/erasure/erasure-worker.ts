/**
 * Works on an erasure, round by round (erasure-work.ts), until a round is the proof that all is gone, or until the time is
 * short and another invocation goes on. Two workers harm nothing: the one whose lease is gone stops at its next
 * checkpoint. docs/erasure.md.
 */
import type { RecordsClaimStore } from "../connection/records-claim-store.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { createHeldLease } from "../sync/held-lease.ts";
import { type LeaseOwner, RunLostError } from "../sync/sync-lease-store.ts";
import type { ErasureEvents } from "./erasure-events.ts";
import type { StoredErasure } from "./erasure-item.ts";
import type { ErasureLeaseStore } from "./erasure-lease-store.ts";
import { type ErasureRequested, erasureRequested } from "./erasure-requested.ts";
import type { ErasureStore } from "./erasure-store.ts";
import { afterSweep, newWork, nextRound, type Work } from "./erasure-work.ts";
import type { LateStore } from "./late-store.ts";
import { type PlaceParts, placesOfAll, placesOfUser } from "./places.ts";
import { createStopWriters, type StopParts } from "./stop-writers.ts";
import { type State, sweep } from "./sweep.ts";

/** The time that a page may take, and the handover after it. */
const HANDOVER_MS = 20_000;
/** Of the function's time, for saying that the bus did not take the handover. */
const GIVE_UP_MS = 3_000;
/** Between two looks whether those who were stopped are quiet. */
const LOOK_AGAIN_MS = 2_000;

export type ErasureWorkerParts = PlaceParts &
  StopParts & {
    leases: ErasureLeaseStore;
    erasures: Pick<ErasureStore, "forgetOrigin">;
    late: Pick<LateStore, "setUntil">;
    claims: Pick<RecordsClaimStore, "releaseRecords">;
    events: ErasureEvents;
    bus: Pick<EventBus, "publish">;
    sleep: (ms: number) => Promise<unknown>;
    newToken: () => string;
  };

/** `delivery` names the event that asked, and is the same when it comes again. */
export type Invocation = { delivery: string; remainingMs: () => number };

/** What an invocation did, for its log line. */
export type WorkSummary = { isTaken: boolean; rounds: number; isCompleted: boolean; isHandedOver: boolean };

const nothing: WorkSummary = { isTaken: false, rounds: 0, isCompleted: false, isHandedOver: false };

export type ErasureWorker = (request: ErasureRequested, invocation: Invocation) => Promise<WorkSummary>;

export const createErasureWorker = (parts: ErasureWorkerParts): ErasureWorker => {
  const { leases, clock, bus } = parts;
  const stop = createStopWriters(parts);

  const work = async (
    organizationId: string,
    erasure: StoredErasure,
    owner: LeaseOwner,
    { remainingMs }: Invocation,
  ): Promise<WorkSummary> => {
    const { id, what, userId, origin } = erasure;
    const lease = createHeldLease<State & { id: string }>({ leases, clock }, organizationId, id, owner);
    const isTimeShort = (): boolean => remainingMs() < HANDOVER_MS;
    const addresses = new Set(erasure.work?.addresses);
    const swept = { organizationId, erasureId: id, addresses };
    const places = userId === undefined ? placesOfAll(parts, swept) : placesOfUser(parts, swept, userId);
    let state: State = { work: erasure.work ?? newWork, removed: erasure.removed };
    const save = async (next: State): Promise<void> => {
      state = next;
      await lease.checkpoint({ ...next, id });
    };
    const saveWork = (next: Work): Promise<void> => save({ ...state, work: next });

    const stopWriters = async (): Promise<void> => {
      const stopped =
        userId === undefined
          ? await stop.ofAll(organizationId, state.work, saveWork)
          : await stop.ofUser(organizationId, userId, state.work, saveWork);
      await saveWork(stopped);
    };

    const wait = async (): Promise<void> => {
      while (!(await stop.isQuiet(organizationId, state.work))) {
        if (isTimeShort()) return;
        await lease.keep();
        const leftMs = (state.work.quietAt ?? 0) - clock();
        await parts.sleep(leftMs > 0 ? Math.min(LOOK_AGAIN_MS, leftMs) : LOOK_AGAIN_MS);
      }
      await stop.replaceRun(organizationId, state.work);
      await saveWork({ ...state.work, phase: "sweep", sweptSince: state.work.sweptSince ?? clock() });
    };

    const sweepAll = async (): Promise<void> => {
      const swept = await sweep(places, state, { save, isTimeShort, addresses });
      state = swept.state;
      if (swept.isDone) await saveWork(afterSweep(state.work, clock()));
    };

    /** Lets another account connect. False where the organization has connected again, and may have records again. */
    const releaseRecords = async ({ claimedBy }: Work): Promise<boolean> => {
      if (claimedBy === undefined || (await parts.claims.releaseRecords(organizationId, claimedBy))) return true;
      return (await parts.connections.read(organizationId)).claimedBy !== claimedBy;
    };

    const finish = async (): Promise<boolean> => {
      const completedAt = state.work.completedAt ?? clock();
      // Known from here on: the event has its time for an id.
      if (state.work.completedAt === undefined) await saveWork({ ...state.work, completedAt });
      if (!(await releaseRecords(state.work))) {
        await saveWork(nextRound(state.work, clock()));
        return false;
      }
      const { removed } = state;
      await parts.events.completed(organizationId, { id, what }, { removed, completedAt });
      await parts.late.setUntil(organizationId, id, completedAt);
      await leases.complete(organizationId, { id, removed, completedAt }, owner);
      return true;
    };

    const handOver = async (): Promise<void> => {
      // Before the request: whoever takes it must find the lease free.
      await lease.release();
      while (remainingMs() > GIVE_UP_MS) {
        if ((await bus.publish([erasureRequested({ organizationId, erasureId: id })])).length === 0) return;
      }
      throw new Error("The event bus did not take the request to go on with an erasure.");
    };

    const steps = { stop: stopWriters, wait, sweep: sweepAll };
    const done = (isCompleted: boolean): WorkSummary => ({
      ...{ isTaken: true, rounds: state.work.round, isCompleted, isHandedOver: !isCompleted },
    });
    if (origin !== undefined) {
      await parts.events.requested(organizationId, erasure, origin);
      await parts.erasures.forgetOrigin(organizationId, id);
    }
    while (!isTimeShort()) {
      const { phase } = state.work;
      if (phase !== "finish") await steps[phase]();
      else if (await finish()) return done(true);
    }
    await handOver();
    return done(false);
  };

  /**
   * Works on the erasure that a request names. A request whose erasure has a worker, or is completed, is none: deliveries
   * come twice.
   * @throws whatever keeps it from working, so that the delivery comes again: DomainError `store_unavailable`.
   */
  return async ({ organizationId, erasureId }, invocation) => {
    const owner = { delivery: invocation.delivery, attempt: parts.newToken() };
    const erasure = await leases.take(organizationId, erasureId, owner, clock());
    if (erasure === undefined) return nothing;
    try {
      return await work(organizationId, erasure, owner, invocation);
    } catch (error) {
      if (error instanceof RunLostError) return { ...nothing, isTaken: true };
      throw error;
    }
  };
};
