/**
 * Works on a run, step by step: from where it is to its end, or until the time is short and another invocation goes on.
 * Two workers on one run harm nothing: the one whose lease is gone stops at its next checkpoint. docs/sync.md.
 */
import type { ProviderAccess } from "../provider/provider.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { writeLog } from "../runtime/log.ts";
import type { RunEnd } from "./end-run.ts";
import { createHeldLease, type HeldLease } from "./held-lease.ts";
import { type OpenRun, type OpenRunParts, openRun } from "./open-run.ts";
import type { SyncEvents } from "./sync-events.ts";
import { ConnectionGoneError, failureOf, systemFailure } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { type LeaseOwner, RunLostError, type SyncLeaseStore, type TakenRun } from "./sync-lease-store.ts";
import { type SyncRequested, syncRequested } from "./sync-request.ts";
import type { SyncRunStore } from "./sync-run-store.ts";
import { newWork } from "./sync-work.ts";
import { takeRun } from "./take-run.ts";
import { takeStep } from "./take-step.ts";

/** So often a run may be taken without getting on: what fails again and again would else go on for ever. */
const MAX_TAKES = 6;
/** The same where it is no outage of the store but a fault of ours. */
const MAX_FAULTS = 2;
/** Of the function's time, for saying that the bus did not take the handover. */
const GIVE_UP_MS = 3_000;

export type RunWorkerParts = OpenRunParts & {
  leases: Pick<SyncLeaseStore, "begin" | "take" | "renew" | "checkpoint" | "release">;
  runs: Pick<SyncRunStore, "findEnded">;
  runEnd: RunEnd;
  events: Pick<SyncEvents, "started">;
  access: Pick<ProviderAccess, "open" | "isHalfOpen" | "flush">;
  bus: Pick<EventBus, "publish">;
  /** An id that is in order of time; epoch ms. */
  newRunId: (now: number) => string;
  newToken: () => string;
};

/** `delivery` names the event that asked, and is the same when it comes again. */
export type Invocation = { delivery: string; remainingMs: () => number };

/** What an invocation did, for its log line. */
export type WorkSummary = { isTaken: boolean; steps: number; isEnded: boolean; isHandedOver: boolean };

const nothing: WorkSummary = { isTaken: false, steps: 0, isEnded: false, isHandedOver: false };

const isUntouched = ({ mode, work: { at } }: ActiveRun): boolean =>
  at.phase === "begin" || (mode === "incremental" && at.phase === "feed" && at.after === undefined);

export type RunWorker = ReturnType<typeof createRunWorker>;

export const createRunWorker = (parts: RunWorkerParts) => {
  const { runs, runEnd, events, access, bus } = parts;

  /** An open circuit that was closed by time alone wants two successes, and a quiet run has one. */
  const closeCircuit = async ({ context, operations }: OpenRun): Promise<void> => {
    if (operations() !== 1 || !access.isHalfOpen(context.organizationId)) return;
    try {
      await context.provider.listEvents({ limit: 1 });
    } catch (error) {
      if (failureOf(error) === undefined) throw error;
    }
  };

  const handOver = async (
    { organizationId }: OpenRun["context"],
    run: ActiveRun,
    lease: HeldLease,
    remainingMs: () => number,
  ): Promise<void> => {
    // Before the request: whoever takes it must find the lease free.
    await lease.release();
    while (remainingMs() > GIVE_UP_MS) {
      if ((await bus.publish([syncRequested({ organizationId, runId: run.id })])).length === 0) return;
    }
    throw new Error("The event bus did not take the request to go on with a run.");
  };

  const work = async (
    request: SyncRequested,
    taken: TakenRun,
    owner: LeaseOwner,
    { remainingMs }: Invocation,
  ): Promise<WorkSummary> => {
    const { organizationId } = request;
    const lease = createHeldLease(parts, organizationId, taken.run.id, owner);
    const ended = (steps: number): WorkSummary => ({ isTaken: true, steps, isEnded: true, isHandedOver: false });
    let run = taken.run;
    let { takes } = taken;
    let steps = 0;
    let opened: OpenRun | undefined;
    try {
      const decided = takes > 1 ? await runs.findEnded(organizationId, run.id) : undefined;
      if (decided !== undefined) {
        await runEnd.finish(organizationId, run, decided);
        return ended(steps);
      }
      if (takes > MAX_TAKES) {
        await runEnd.end(organizationId, run, undefined, systemFailure);
        return ended(steps);
      }
      // The first run of a connection reads everything, whatever was asked for.
      const isFirst = run.mode === "incremental" && taken.cursor === undefined && isUntouched(run);
      if (isFirst) run = { ...run, mode: "full", work: newWork("full") };
      opened = await openRun(parts, organizationId, taken, { lease, remainingMs });
      if (isUntouched(run)) await events.started(organizationId, opened.accountId, run);
      while (run.work.at.phase !== "done") {
        if (opened.context.isTimeShort()) {
          await handOver(opened.context, run, lease, remainingMs);
          return { isTaken: true, steps, isEnded: false, isHandedOver: true };
        }
        run = await takeStep({ ...opened.context, isFresh: steps === 0 }, run);
        steps++;
        // The last page of the feed needs none: repeated, it changes nothing.
        if (run.work.at.phase === "done" && run.mode === "incremental") break;
        await lease.checkpoint(run);
        takes = 0;
      }
      await closeCircuit(opened);
      await runEnd.end(organizationId, run, opened.accountId);
      return ended(steps);
    } catch (error) {
      if (error instanceof RunLostError) return { ...nothing, isTaken: true, steps };
      if (error instanceof ConnectionGoneError) {
        await runEnd.cancel(organizationId, run);
        return ended(steps);
      }
      const isFault = !(error instanceof DomainError);
      const failure = failureOf(error) ?? (isFault && takes >= MAX_FAULTS ? systemFailure : undefined);
      if (failure === undefined) throw error;
      if (failure === systemFailure)
        writeLog("error", "A run met a fault", {
          runId: run.id,
          cause: error instanceof Error ? error.stack : String(error),
        });
      await runEnd.end(organizationId, run, opened?.accountId, failure);
      return ended(steps);
    } finally {
      await access.flush();
    }
  };

  /**
   * Works on the run that a request names, or begins that of the schedule. A request whose run has a worker, or is over,
   * is none: deliveries come twice.
   * @throws whatever keeps it from working, so that the delivery comes again: DomainError `store_unavailable`.
   */
  return async (request: SyncRequested, invocation: Invocation): Promise<WorkSummary> => {
    const owner = { delivery: invocation.delivery, attempt: parts.newToken() };
    const taken = await takeRun(parts, request, owner);
    return taken === undefined ? nothing : work(request, taken, owner, invocation);
  };
};
