import { definedFields } from "../json/defined-fields.ts";
import type { Table } from "../runtime/table.ts";
import type { LeaseOwner } from "../work/lease.ts";
import { createLeaseStore, newLease } from "../work/lease-store.ts";
import { type ActiveRun, activeIndex, parseState, type SyncState, stateKey } from "./sync-item.ts";
import { readSyncState } from "./sync-run-store.ts";
import { hasReadFeed } from "./sync-work.ts";

/** A run whose lease was taken, with the organization's state that its worker needs. */
export type TakenRun = { run: ActiveRun } & Pick<
  SyncState,
  "cursor" | "lastSuccessAt" | "readTypes" | "refusedTypes"
> & { takes: number };

const takenRun = ({
  run,
  takes = 1,
  cursor,
  lastSuccessAt,
  readTypes,
  refusedTypes,
}: SyncState): TakenRun | undefined =>
  run && { run, takes, ...definedFields({ cursor, lastSuccessAt, readTypes, refusedTypes }) };

/** The condition that the item still has this run. */
const ofRun = (id: string) => ({ condition: "#run.#id = :id", values: { id } });

const IS_NEW_SLOT = "(attribute_not_exists(#slot) OR #slot < :slot)";

export type SyncLeaseStore = ReturnType<typeof createSyncLeaseStore>;

/**
 * The leases of sync runs (shared/work/lease.ts); times are epoch ms. Each call costs one write unit per KB of the item
 * (sync-item.ts), two where the index changes. All throw DomainError `store_unavailable`.
 */
export const createSyncLeaseStore = (table: Table<"syncRuns">) => {
  const leases = createLeaseStore(table);

  return {
    /**
     * Begins a run for an occurrence of the schedule and takes its lease, in one write. The run enters the index with its
     * first checkpoint, so a run of one page costs no write there.
     * @returns the run; else the id of the run that is under way; else undefined: the occurrence had its run already. If
     *   the run under way has read the feed, it is not the occurrence's, and the occurrence remains without a run.
     */
    async begin(
      organizationId: string,
      { run, slot, owner, now }: { run: ActiveRun; slot: number; owner: LeaseOwner; now: number },
    ): Promise<TakenRun | { underWay: string } | undefined> {
      const begun = await leases.update(stateKey(organizationId), {
        set: { run, slot, ...newLease(owner, now), takes: 1 },
        condition: `attribute_not_exists(#run) AND ${IS_NEW_SLOT}`,
        values: { slot },
      });
      const state = begun === undefined ? await readSyncState(table, organizationId) : parseState(begun);
      // The write is refused as well if its own first attempt succeeded and the answer was lost.
      if (begun !== undefined || state.run?.id === run.id) return takenRun(state);
      if (state.run === undefined) return undefined;
      if (hasReadFeed(state.run.work)) return { underWay: state.run.id };
      // The run under way is the occurrence's: another one after it would read the same changes.
      await leases.update(stateKey(organizationId), {
        set: { slot },
        condition: `attribute_exists(#run) AND ${IS_NEW_SLOT}`,
        values: { slot },
      });
      return { underWay: state.run.id };
    },

    /** Takes a run's lease. @returns undefined if another worker holds it, or the run has ended. */
    async take(organizationId: string, runId: string, owner: LeaseOwner, now: number): Promise<TakenRun | undefined> {
      const item = await leases.take(stateKey(organizationId), owner, now, ofRun(runId));
      return item && takenRun(parseState(item));
    },

    /** Keeps the lease. @throws LeaseLostError. */
    renew: (organizationId: string, runId: string, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(stateKey(organizationId), owner, now, ofRun(runId)),

    /** Stores a run's progress and keeps the lease. @throws LeaseLostError. */
    checkpoint: (organizationId: string, run: ActiveRun, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(stateKey(organizationId), owner, now, {
        ...ofRun(run.id),
        set: { run, [activeIndex.partitionKey]: activeIndex.shardOf(stateKey(organizationId).scope) },
        remove: ["takes"],
      }),

    /** Frees the lease if this owner still holds it: the next worker takes the run at once. */
    release: (organizationId: string, runId: string, owner: LeaseOwner): Promise<void> =>
      leases.release(stateKey(organizationId), owner, ofRun(runId)),
  };
};
