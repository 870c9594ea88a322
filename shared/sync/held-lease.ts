import type { Clock } from "../runtime/clock.ts";
import type { LeaseOwner } from "./sync-lease-store.ts";

/** A third of the lease: so much of it is left at least for a request and the writes after it. */
const RENEW_AFTER_MS = 15_000;

/** Who holds what: runs, and whatever else is worked on step by step. `Run` is what a checkpoint stores. */
type Leases<Run> = {
  renew(organizationId: string, runId: string, owner: LeaseOwner, now: number): Promise<void>;
  checkpoint(organizationId: string, run: Run, owner: LeaseOwner, now: number): Promise<void>;
  release(organizationId: string, runId: string, owner: LeaseOwner): Promise<void>;
};

export type HeldLease<Run = never> = {
  keep(): Promise<void>;
  confirm(): Promise<void>;
  checkpoint(run: Run): Promise<void>;
  release(): Promise<void>;
};

/** The lease that a worker has just taken on a run. All but `release` throw RunLostError once it is another's. */
export const createHeldLease = <Run>(
  { leases, clock }: { leases: Leases<Run>; clock: Clock },
  organizationId: string,
  runId: string,
  owner: LeaseOwner,
): HeldLease<Run> => {
  let heldAt = clock();
  /** Renews the lease: to be called before what must not happen once the run is over or another's. A write unit. */
  const confirm = async (): Promise<void> => {
    const now = clock();
    await leases.renew(organizationId, runId, owner, now);
    heldAt = now;
  };
  return {
    confirm,

    /** Renews the lease when that is due: to be called before whatever may take long. */
    async keep(): Promise<void> {
      if (clock() - heldAt >= RENEW_AFTER_MS) await confirm();
    },

    async checkpoint(run: Run): Promise<void> {
      const now = clock();
      await leases.checkpoint(organizationId, run, owner, now);
      heldAt = now;
    },

    release: (): Promise<void> => leases.release(organizationId, runId, owner),
  };
};
