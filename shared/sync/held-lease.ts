import type { Clock } from "../runtime/clock.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { LeaseOwner, SyncLeaseStore } from "./sync-lease-store.ts";

/** A third of the lease: so much of it is left at least for a request and the writes after it. */
const RENEW_AFTER_MS = 15_000;

export type HeldLease = ReturnType<typeof createHeldLease>;

/** The lease that a worker has just taken on a run. All but `release` throw RunLostError once it is another's. */
export const createHeldLease = (
  { leases, clock }: { leases: Pick<SyncLeaseStore, "renew" | "checkpoint" | "release">; clock: Clock },
  organizationId: string,
  runId: string,
  owner: LeaseOwner,
) => {
  let heldAt = clock();
  return {
    /** Renews the lease when that is due: to be called before whatever may take long. */
    async keep(): Promise<void> {
      const now = clock();
      if (now - heldAt < RENEW_AFTER_MS) return;
      await leases.renew(organizationId, runId, owner, now);
      heldAt = now;
    },

    async checkpoint(run: ActiveRun): Promise<void> {
      const now = clock();
      await leases.checkpoint(organizationId, run, owner, now);
      heldAt = now;
    },

    release: (): Promise<void> => leases.release(organizationId, runId, owner),
  };
};
