import type { Clock } from "../runtime/clock.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { LeaseOwner, SyncLeaseStore, TakenRun } from "./sync-lease-store.ts";
import type { SyncRequested } from "./sync-request.ts";
import { noProgress } from "./sync-run.ts";
import { newWork } from "./sync-work.ts";

type Parts = {
  leases: Pick<SyncLeaseStore, "begin" | "take">;
  clock: Clock;
  /** An id that is in order of time; epoch ms. */
  newRunId: (now: number) => string;
};

/**
 * Takes the run that a request names, or begins that of the schedule.
 * @returns undefined where it has a worker, or is over.
 */
export const takeRun = async (
  { leases, clock, newRunId }: Parts,
  request: SyncRequested,
  owner: LeaseOwner,
): Promise<TakenRun | undefined> => {
  const { organizationId } = request;
  const now = clock();
  if ("runId" in request) return leases.take(organizationId, request.runId, owner, now);
  const run: ActiveRun = {
    ...{ id: newRunId(now), trigger: "scheduled", mode: "incremental", startedAt: now },
    ...{ progress: noProgress(), work: newWork("incremental") },
  };
  const begun = await leases.begin(organizationId, { run, slot: request.slot, owner, now });
  if (begun === undefined || !("underWay" in begun)) return begun;
  // A run that lost its worker is gone on with; one that has its worker goes on by itself.
  return leases.take(organizationId, begun.underWay, owner, now);
};
