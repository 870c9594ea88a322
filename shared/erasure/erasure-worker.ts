/**
 * Works on an erasure, pass by pass (passes.ts), until a pass proves that it is complete. If the invocation's time runs
 * short, another invocation continues. A worker that has lost its lease stops at its next checkpoint. docs/erasure.md.
 */
import type { RecordsClaimStore } from "../connection/connection-store.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { handOver, type Invocation } from "../work/hand-over.ts";
import { createHeldLease, LeaseLostError, type LeaseOwner } from "../work/lease.ts";
import { type LocationDependencies, locationsOfOrganization, locationsOfUser } from "./erased-locations.ts";
import { type ErasureEvents, type ErasureRequested, erasureRequested } from "./erasure-events.ts";
import type { StoredErasure } from "./erasure-item.ts";
import type { ErasureLeaseStore, ErasureStore } from "./erasure-store.ts";
import type { LateStore } from "./late-store.ts";
import { afterSweep, type Checkpoint, newWork, nextPass, sweep, type Work } from "./passes.ts";
import { createStopWriters, type StopDependencies } from "./stop-writers.ts";

/** The time for one more page and for moving the erasure to the next invocation. */
const HANDOVER_MS = 20_000;
/** The interval of checks whether the stopped writers have ended. */
const CHECK_EVERY_MS = 2_000;

export type ErasureWorkerDependencies = LocationDependencies &
  StopDependencies & {
    leases: ErasureLeaseStore;
    erasures: Pick<ErasureStore, "forgetOrigin">;
    late: Pick<LateStore, "setUntil">;
    claims: Pick<RecordsClaimStore, "releaseRecords">;
    events: ErasureEvents;
    bus: Pick<EventBus, "publish">;
    sleep: (ms: number) => Promise<unknown>;
    newToken: () => string;
  };

/** The summary of an invocation, for its log line. */
export type WorkSummary = { isTaken: boolean; passes: number; isCompleted: boolean; isHandedOver: boolean };

const notTaken: WorkSummary = { isTaken: false, passes: 0, isCompleted: false, isHandedOver: false };

export type ErasureWorker = (request: ErasureRequested, invocation: Invocation) => Promise<WorkSummary>;

export const createErasureWorker = (dependencies: ErasureWorkerDependencies): ErasureWorker => {
  const { leases, clock, bus } = dependencies;
  const writers = createStopWriters(dependencies);

  const work = async (
    organizationId: string,
    erasure: StoredErasure,
    owner: LeaseOwner,
    { remainingMs }: Invocation,
  ): Promise<WorkSummary> => {
    const { id, what, userId, origin } = erasure;
    const lease = createHeldLease<Checkpoint & { id: string }>({ leases, clock }, organizationId, id, owner);
    const isTimeShort = (): boolean => remainingMs() < HANDOVER_MS;
    const addresses = new Set(erasure.work?.addresses);
    const context = { organizationId, erasureId: id, addresses };
    const locations =
      userId === undefined
        ? locationsOfOrganization(dependencies, context)
        : locationsOfUser(dependencies, context, userId);
    let state: Checkpoint = { work: erasure.work ?? newWork, removed: erasure.removed };
    const save = async (next: Checkpoint): Promise<void> => {
      state = next;
      await lease.checkpoint({ ...next, id });
    };
    const saveWork = (next: Work): Promise<void> => save({ ...state, work: next });

    const stopWriters = async (): Promise<void> => {
      const stopped =
        userId === undefined
          ? await writers.ofOrganization(organizationId, state.work, saveWork)
          : await writers.ofUser(organizationId, userId, state.work, saveWork);
      await saveWork(stopped);
    };

    const wait = async (): Promise<void> => {
      while (!(await writers.haveStopped(organizationId, state.work))) {
        if (isTimeShort()) return;
        await lease.keep();
        const leftMs = (state.work.quietAt ?? 0) - clock();
        await dependencies.sleep(leftMs > 0 ? Math.min(CHECK_EVERY_MS, leftMs) : CHECK_EVERY_MS);
      }
      await writers.replaceRun(organizationId, state.work);
      await saveWork({ ...state.work, phase: "sweep", sweptSince: state.work.sweptSince ?? clock() });
    };

    const sweepAll = async (): Promise<void> => {
      const swept = await sweep(locations, state, { save, isTimeShort, addresses });
      state = swept.state;
      if (swept.isDone) await saveWork(afterSweep(state.work, clock()));
    };

    /** Lets another account connect. False if the organization has connected again, and may have records again. */
    const releaseRecords = async ({ claimedBy }: Work): Promise<boolean> => {
      if (claimedBy === undefined || (await dependencies.claims.releaseRecords(organizationId, claimedBy))) return true;
      return (await dependencies.connections.read(organizationId)).claimedBy !== claimedBy;
    };

    const finish = async (): Promise<boolean> => {
      const completedAt = state.work.completedAt ?? clock();
      // Stored first, because the event's id follows from it.
      if (state.work.completedAt === undefined) await saveWork({ ...state.work, completedAt });
      if (!(await releaseRecords(state.work))) {
        await saveWork(nextPass(state.work, clock()));
        return false;
      }
      const { removed } = state;
      await dependencies.events.completed(organizationId, { id, what }, { removed, completedAt });
      await dependencies.late.setUntil(organizationId, id, completedAt);
      await leases.complete(organizationId, { id, removed, completedAt }, owner);
      return true;
    };

    const steps = { stop: stopWriters, wait, sweep: sweepAll };
    const summary = (isCompleted: boolean): WorkSummary => ({
      isTaken: true,
      passes: state.work.round,
      isCompleted,
      isHandedOver: !isCompleted,
    });
    if (origin !== undefined) {
      await dependencies.events.requested(organizationId, erasure, origin);
      await dependencies.erasures.forgetOrigin(organizationId, id);
    }
    while (!isTimeShort()) {
      const { phase } = state.work;
      if (phase !== "finish") await steps[phase]();
      else if (await finish()) return summary(true);
    }
    await handOver({ lease, bus, remainingMs }, erasureRequested({ organizationId, erasureId: id }));
    return summary(false);
  };

  /**
   * Works on the requested erasure, unless it has another worker or is completed: requests may be delivered twice.
   * @throws any failure, so that the request is delivered again: DomainError `store_unavailable`.
   */
  return async ({ organizationId, erasureId }, invocation) => {
    const owner = { delivery: invocation.delivery, attempt: dependencies.newToken() };
    const erasure = await leases.take(organizationId, erasureId, owner, clock());
    if (erasure === undefined) return notTaken;
    try {
      return await work(organizationId, erasure, owner, invocation);
    } catch (error) {
      if (error instanceof LeaseLostError) return { ...notTaken, isTaken: true };
      throw error;
    }
  };
};
