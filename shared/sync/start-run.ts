/** Puts a run under way and asks for a worker: what a request, a new connection and a gap in webhooks do alike. */
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import type { SyncEndStore } from "./sync-end-store.ts";
import type { ActiveRun, Asker, SyncState } from "./sync-item.ts";
import { syncRequested } from "./sync-request.ts";
import { noProgress, type SyncMode, type SyncTrigger } from "./sync-run.ts";
import type { SyncRunStore } from "./sync-run-store.ts";
import { cursorOf, newWork } from "./sync-work.ts";

/** A request for work is taken up in seconds; what waits for longer was lost. */
const WAIT_MS = 60_000;

export type StartRunParts = {
  runs: Pick<SyncRunStore, "readState" | "findEnded" | "start">;
  ends: Pick<SyncEndStore, "close">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  /** An id that is in order of time; epoch ms. */
  newRunId: (now: number) => string;
};

/** Without `mode` a run is incremental where one can be. `id` and `startedAt` are new ones unless said. */
export type WantedRun = {
  organizationId: string;
  trigger: Exclude<SyncTrigger, "scheduled">;
  mode?: SyncMode | undefined;
  askedBy?: Asker;
  id?: string;
  startedAt?: number;
};

/** `isRequested`: a worker was asked for; else the hourly look at runs without one does it. */
export type StartedRun = { run: ActiveRun; isRequested: boolean };

export type StartRun = (wanted: WantedRun, state?: SyncState) => Promise<StartedRun>;

/** Whether nobody works on the run that is under way, nor is about to. */
export const isForsaken = ({ run, leaseUntil = 0 }: SyncState, now: number): boolean =>
  run !== undefined && Math.max(leaseUntil, leaseUntil === 0 ? run.startedAt + WAIT_MS : 0) < now;

export const modeOf = (mode: SyncMode | undefined, { cursor }: SyncState): SyncMode =>
  cursor === undefined ? "full" : (mode ?? "incremental");

export const createStartRun = ({ runs, ends, bus, clock, newRunId }: StartRunParts): StartRun => {
  const request = async (organizationId: string, runId: string): Promise<boolean> =>
    (await bus.publish([syncRequested({ organizationId, runId })])).length === 0;

  /** Makes way where the run under way is over but for its closing, and has one without a worker gone on with. */
  const makeWay = async (organizationId: string, state: SyncState): Promise<void> => {
    const { run } = state;
    if (run === undefined) return;
    if (isForsaken(state, clock())) {
      const ended = await runs.findEnded(organizationId, run.id);
      if (ended !== undefined) return ends.close(organizationId, ended, cursorOf(run.work));
      await request(organizationId, run.id);
    }
    throw new DomainError("sync_running", "A sync run of the organization is under way.");
  };

  /**
   * @param known the organization's state, where it was just read.
   * @throws DomainError `sync_running` while another run is under way: one that lost its worker is gone on with.
   */
  return async ({ organizationId, trigger, mode, askedBy, ...given }, known) => {
    const state = known ?? (await runs.readState(organizationId));
    const startedAt = given.startedAt ?? clock();
    const id = given.id ?? newRunId(startedAt);
    if (state.run?.id !== id) await makeWay(organizationId, state);
    const itsMode = modeOf(mode, state);
    const run: ActiveRun = {
      ...{ id, trigger, mode: itsMode, startedAt, progress: noProgress(), work: newWork(itsMode) },
      ...(askedBy !== undefined && { askedBy }),
    };
    await runs.start(organizationId, run);
    return { run, isRequested: await request(organizationId, id) };
  };
};
