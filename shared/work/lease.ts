/**
 * The job kit starts here. A job is durable work that is stored as an item and outlives an invocation: a sync run, an
 * erasure. A worker takes the job's lease (lease-store.ts), keeps it while it works, and stores a checkpoint after each
 * step. If the worker crashes, its lease expires and another worker takes the job over from the last checkpoint. If the
 * time runs short, the worker moves the job to the next invocation (hand-over.ts). Schedules find what is to be done in
 * sparse indexes (sharded-index.ts, due-mark-store.ts) and ask for it over the event bus (dispatch.ts, outbox.ts).
 */
import type { Clock } from "../runtime/clock.ts";

/**
 * How long a worker holds a job after its last write. Longer than one operation of the provider and the writes after it,
 * so a worker that is silent for longer has crashed.
 */
export const LEASE_MS = 45_000;

/** A third of the lease: the rest is enough for one request and the writes after it. */
const RENEW_AFTER_MS = LEASE_MS / 3;

/**
 * Who holds a lease: the delivery of the event that asked for the work, and the attempt at it. A repeated delivery takes
 * the job over from its earlier attempt at once, because that attempt failed or timed out.
 */
export type LeaseOwner = { delivery: string; attempt: string };

/**
 * A lease lies in the item of its job: `leaseOwner`; `leaseUntil` in epoch ms, 0 after a release; `takes` counts how
 * often the lease was taken. Remove all three when the job ends.
 */
export const LEASE_ATTRIBUTES = ["leaseOwner", "leaseUntil", "takes"] as const;

/** Another worker holds the lease, or the job has ended. The worker must stop without an error. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";

  constructor() {
    super("Another worker holds the lease, or the job has ended.");
  }
}

/** The leases of a subject's jobs. `Checkpoint` is what a worker stores after each step. All times are epoch ms. */
export type Leases<Checkpoint> = {
  renew(organizationId: string, jobId: string, owner: LeaseOwner, now: number): Promise<void>;
  checkpoint(organizationId: string, checkpoint: Checkpoint, owner: LeaseOwner, now: number): Promise<void>;
  release(organizationId: string, jobId: string, owner: LeaseOwner): Promise<void>;
};

export type HeldLease<Checkpoint = never> = {
  /** Renews the lease if that is due. Call it before anything that may take long. */
  keep(): Promise<void>;
  /** Renews the lease now; one write unit. Call it before a write that is wrong once the job has ended. */
  confirm(): Promise<void>;
  /** Stores the checkpoint and renews the lease. */
  checkpoint(checkpoint: Checkpoint): Promise<void>;
  release(): Promise<void>;
};

/** The lease that a worker has just taken. All methods but `release` throw LeaseLostError once the lease is lost. */
export const createHeldLease = <Checkpoint>(
  { leases, clock }: { leases: Leases<Checkpoint>; clock: Clock },
  organizationId: string,
  jobId: string,
  owner: LeaseOwner,
): HeldLease<Checkpoint> => {
  let renewedAt = clock();
  const confirm = async (): Promise<void> => {
    const now = clock();
    await leases.renew(organizationId, jobId, owner, now);
    renewedAt = now;
  };
  return {
    confirm,

    async keep() {
      if (clock() - renewedAt >= RENEW_AFTER_MS) await confirm();
    },

    async checkpoint(checkpoint) {
      const now = clock();
      await leases.checkpoint(organizationId, checkpoint, owner, now);
      renewedAt = now;
    },

    release: () => leases.release(organizationId, jobId, owner),
  };
};
