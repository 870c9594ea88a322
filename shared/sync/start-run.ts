/** Starts a run and asks for a worker: for a client's request, a new connection, and a gap in webhooks. */
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds } from "../runtime/log.ts";
import type { Requester } from "../terms/requester.ts";
import { isStalled } from "../work/hand-over.ts";
import type { ActiveRun, SyncState } from "./sync-item.ts";
import { syncRequested } from "./sync-request.ts";
import { noProgress, type SyncMode, type SyncTrigger } from "./sync-run.ts";
import { RunUnderWayError, type SyncRunStore } from "./sync-run-store.ts";
import { newWork } from "./sync-work.ts";

export type StartRunDependencies = {
  runs: Pick<SyncRunStore, "readState" | "start">;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  /** An id that is in order of time; epoch ms. */
  newRunId: (now: number) => string;
};

/** Without `mode`, a run is incremental if there is a cursor. `id` and `startedAt` are new unless given. */
export type WantedRun = {
  organizationId: string;
  trigger: Exclude<SyncTrigger, "scheduled">;
  mode?: SyncMode | undefined;
  askedBy?: Requester;
  id?: string;
  startedAt?: number;
  /** The client's request had an Idempotency-Key. */
  isKeyed?: boolean;
};

/** `isRequested`: the bus took the request for a worker. If not, resume-stalled-syncs asks for one within the hour. */
export type StartedRun = { run: ActiveRun; isRequested: boolean };

export type StartRun = (wanted: WantedRun, state?: SyncState) => Promise<StartedRun>;

export const modeOf = (mode: SyncMode | undefined, { cursor }: SyncState): SyncMode =>
  cursor === undefined ? "full" : (mode ?? "incremental");

export const createStartRun = ({ runs, bus, clock, newRunId }: StartRunDependencies): StartRun => {
  const request = async (organizationId: string, runId: string): Promise<boolean> =>
    (await bus.publish([syncRequested({ organizationId, runId })])).length === 0;

  /**
   * Asks for a worker for a run under way that has none. This also holds for a run whose end is decided: only a worker
   * records the end's event before it closes the run.
   */
  const requireNoRun = async (organizationId: string, state: SyncState): Promise<void> => {
    const { run, leaseUntil } = state;
    if (run === undefined) return;
    if (isStalled({ leaseUntil, requestedAt: run.startedAt }, clock())) await request(organizationId, run.id);
    throw new RunUnderWayError(state);
  };

  /**
   * @param current the organization's state, if the caller has just read it.
   * @throws RunUnderWayError while another run is under way. A run without a worker is given one.
   */
  return async ({ organizationId, trigger, mode, askedBy, isKeyed, ...given }, current) => {
    const state = current ?? (await runs.readState(organizationId));
    const startedAt = given.startedAt ?? clock();
    const id = given.id ?? newRunId(startedAt);
    addLogIds({ runId: id });
    // A run that was under way is not started again: if it has ended since, it would run twice.
    if (state.run?.id === id) return { run: state.run, isRequested: await request(organizationId, id) };
    await requireNoRun(organizationId, state);
    const actualMode = modeOf(mode, state);
    const run: ActiveRun = {
      id,
      trigger,
      mode: actualMode,
      startedAt,
      progress: noProgress(),
      work: newWork(actualMode),
      ...(askedBy !== undefined && { askedBy }),
      ...(isKeyed && { isKeyed }),
    };
    await runs.start(organizationId, run);
    return { run, isRequested: await request(organizationId, id) };
  };
};
