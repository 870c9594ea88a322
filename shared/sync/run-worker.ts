/**
 * Works on a run, step by step, from its last checkpoint to its end, or until the time runs short and another invocation
 * continues. Two workers on one run do no harm: the one that has lost the lease stops at its next checkpoint. docs/sync.md.
 */
import { definedFields } from "../json/defined-fields.ts";
import type { ProviderAccess } from "../provider/provider.ts";
import { isItemRefused } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import { handOver, type Invocation } from "../work/hand-over.ts";
import { createHeldLease, LeaseLostError, type LeaseOwner } from "../work/lease.ts";
import { compare } from "./compare.ts";
import type { RunEnd } from "./end-run.ts";
import { workOfTypes } from "./optional-types.ts";
import { beginFullRun, readFeed } from "./read-feed.ts";
import { readLinks } from "./read-links.ts";
import { readList } from "./read-list.ts";
import type { RunContext } from "./run-context.ts";
import { type OpenRun, type OpenRunDependencies, openRun } from "./run-context.ts";
import type { SyncEvents } from "./sync-events.ts";
import { ConnectionGoneError, failureOf, systemFailure } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import type { SyncLeaseStore, TakenRun } from "./sync-lease-store.ts";
import { type SyncRequested, syncRequested } from "./sync-request.ts";
import { noProgress } from "./sync-run.ts";
import type { SyncRunStore } from "./sync-run-store.ts";
import { hasReadFeed, newWork } from "./sync-work.ts";

/** How often a run's lease may be taken without progress; a run that fails again and again ends as failed. */
const MAX_TAKES = 6;
/** The same if the cause is a fault of ours and not an outage of the store. */
const MAX_FAULTS = 2;

export type RunWorkerDependencies = OpenRunDependencies & {
  leases: Pick<SyncLeaseStore, "begin" | "take" | "renew" | "checkpoint" | "release">;
  runs: Pick<SyncRunStore, "findEnded">;
  runEnd: RunEnd;
  events: Pick<SyncEvents, "started" | "setAside">;
  access: Pick<ProviderAccess, "open" | "isHalfOpen" | "flush">;
  bus: Pick<EventBus, "publish">;
  /** An id that is in order of time; epoch ms. */
  newRunId: (now: number) => string;
  newToken: () => string;
};

/** What an invocation did, for its log line. */
export type WorkSummary = { isTaken: boolean; steps: number; isEnded: boolean; isHandedOver: boolean };

const nothing: WorkSummary = { isTaken: false, steps: 0, isEnded: false, isHandedOver: false };

const isUntouched = ({ mode, work: { at } }: ActiveRun): boolean =>
  at.phase === "begin" || (mode === "incremental" && at.phase === "feed" && at.after === undefined);

/** Does the next step of a run, at most one page. */
const takeStep = async (context: RunContext, run: ActiveRun): Promise<ActiveRun> => {
  const { at } = run.work;
  switch (at.phase) {
    case "begin":
      return beginFullRun(context, run, at);
    case "list":
      return readList(context, run, at);
    case "links":
      return readLinks(context, run, at);
    case "feed":
      return readFeed(context, run, at);
    case "compare":
      return compare(context, run, at);
    case "done":
      return run;
  }
};

/**
 * Takes the run that a request names, or begins the scheduled one.
 * @returns undefined if the run has a worker, or has ended.
 */
const takeRun = async (
  { leases, clock, newRunId }: RunWorkerDependencies,
  request: SyncRequested,
  owner: LeaseOwner,
): Promise<TakenRun | undefined> => {
  const { organizationId } = request;
  const now = clock();
  if ("runId" in request) return leases.take(organizationId, request.runId, owner, now);
  const run: ActiveRun = {
    id: newRunId(now),
    trigger: "scheduled",
    mode: "incremental",
    startedAt: now,
    progress: noProgress(),
    work: newWork("incremental"),
  };
  const begun = await leases.begin(organizationId, { run, slot: request.slot, owner, now });
  if (begun === undefined || !("underWay" in begun)) return begun;
  // A run is under way. If it has lost its worker, continue it.
  return leases.take(organizationId, begun.underWay, owner, now);
};

export type RunWorker = ReturnType<typeof createRunWorker>;

export const createRunWorker = (dependencies: RunWorkerDependencies) => {
  const { runs, runEnd, events, access, bus } = dependencies;

  /** A half-open circuit closes after two successes, and a quiet run makes one call: make another one. */
  const closeCircuit = async ({ context, operations }: OpenRun): Promise<void> => {
    if (operations() !== 1 || !access.isHalfOpen(context.organizationId)) return;
    try {
      await context.provider.listEvents({ limit: 1 });
    } catch (error) {
      if (failureOf(error) === undefined) throw error;
    }
  };

  const work = async (
    request: SyncRequested,
    taken: TakenRun,
    owner: LeaseOwner,
    { remainingMs }: Invocation,
  ): Promise<WorkSummary> => {
    const { organizationId } = request;
    addLogIds({ runId: taken.run.id });
    const lease = createHeldLease(dependencies, organizationId, taken.run.id, owner);
    const ended = (steps: number): WorkSummary => ({ isTaken: true, steps, isEnded: true, isHandedOver: false });
    let run = taken.run;
    let { takes } = taken;
    let steps = 0;
    let opened: OpenRun | undefined;
    try {
      const decided = takes > 1 ? await runs.findEnded(organizationId, run.id) : undefined;
      if (decided !== undefined) {
        await runEnd.finish(organizationId, run, decided, { types: taken });
        return ended(steps);
      }
      if (takes > MAX_TAKES) {
        await runEnd.end(organizationId, run, { failure: systemFailure });
        return ended(steps);
      }
      // The first run of a connection reads everything, even if an incremental run was requested.
      const isNew = isUntouched(run);
      if (isNew && run.mode === "incremental") {
        const isFirst = taken.cursor === undefined;
        run = isFirst
          ? { ...run, mode: "full", work: newWork("full") }
          : { ...run, work: workOfTypes(run, taken) ?? run.work };
      }
      opened = await openRun(dependencies, organizationId, taken, { lease, remainingMs });
      if (isNew) await events.started(organizationId, opened.accountId, run);
      while (run.work.at.phase !== "done") {
        if (opened.context.isTimeShort()) {
          await handOver({ lease, bus, remainingMs }, syncRequested({ organizationId, runId: run.id }));
          return { isTaken: true, steps, isEnded: false, isHandedOver: true };
        }
        run = await takeStep({ ...opened.context, isFresh: steps === 0 }, run);
        steps++;
        // The last page of the feed needs no checkpoint: reading it again changes nothing.
        if (run.work.at.phase === "done" && run.mode === "incremental") break;
        await lease.checkpoint(run);
        takes = 0;
      }
      await closeCircuit(opened);
      await runEnd.end(organizationId, run, { accountId: opened.accountId, types: taken });
      return ended(steps);
    } catch (error) {
      if (error instanceof LeaseLostError) return { ...nothing, isTaken: true, steps };
      if (error instanceof ConnectionGoneError) {
        await runEnd.cancel(organizationId, run);
        return ended(steps);
      }
      const isFault = !(error instanceof DomainError) || isItemRefused(error);
      const failure = failureOf(error) ?? (isFault && takes >= MAX_FAULTS ? systemFailure : undefined);
      if (failure === undefined) throw error;
      if (failure === systemFailure)
        writeLog("error", "A sync run failed because of a fault", {
          cause: error instanceof Error ? error.stack : String(error),
        });
      await runEnd.end(organizationId, run, { ...definedFields({ accountId: opened?.accountId }), failure });
      return ended(steps);
    } finally {
      await access.flush();
    }
  };

  /**
   * Works on the run that a request names, or begins the scheduled one. Ignores a request whose run has a worker or has
   * ended, because an event may be delivered twice.
   * @throws DomainError `store_unavailable`, or a fault of ours, so that the event is delivered again.
   */
  return async function workOn(request: SyncRequested, invocation: Invocation): Promise<WorkSummary> {
    const owner = { delivery: invocation.delivery, attempt: dependencies.newToken() };
    const taken = await takeRun(dependencies, request, owner);
    if (taken === undefined) return nothing;
    const summary = await work(request, taken, owner, invocation);
    // A run without a worker was completed, and may have read the feed before the occurrence.
    const isOccurrenceOpen = "slot" in request && summary.isEnded && hasReadFeed(taken.run.work);
    const next = isOccurrenceOpen ? await workOn(request, invocation) : nothing;
    return next.isTaken ? next : summary;
  };
};
