/**
 * Works on a preview hour by hour. If the invocation's time runs short, another invocation continues from the checkpoint. A
 * worker that has lost its lease stops at its next checkpoint. docs/rules.md, "Previews".
 */
import type { HourFactsStore } from "../detection/event-facts-store.ts";
import type { Fact } from "../detection/evidence/fact.ts";
import type { Clock } from "../runtime/clock.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { writeLog } from "../runtime/log.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { handOver, type Invocation } from "../work/hand-over.ts";
import { createHeldLease, LeaseLostError, type LeaseOwner } from "../work/lease.ts";
import { TIME_LIMIT_MS } from "./preview.ts";
import { type PreviewRequested, previewRequested } from "./preview-events.ts";
import type { ReadInputs } from "./preview-inputs.ts";
import { expiresAtOf, type PreviewWork, type StoredPreview } from "./preview-item.ts";
import { createPreviewRun, newRunState, type RunState } from "./preview-run.ts";
import type { PreviewCheckpoint, PreviewStore } from "./preview-store.ts";
import type { StateStore } from "./state-store.ts";

/** The time for a step and for moving the preview to the next invocation. */
const HANDOVER_MS = 40_000;
/** Hours that are read at once. An hour of 100,000 events takes 50 MB. */
const HOURS_PER_STEP = 6;
/** States may be large, so not each step stores one. */
const CHECKPOINT_EVERY_MS = 20_000;

/** Of another version of the service, the preview begins again. */
const STATE_VERSION = 2;

export type PreviewWorkerDependencies = {
  previews: Pick<PreviewStore, "take" | "renew" | "checkpoint" | "release" | "end">;
  states: StateStore;
  readInputs: ReadInputs;
  events: HourFactsStore;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  newToken: () => string;
  syncIntervalMs: number;
  checkpointEveryMs?: number;
};

/** The summary of an invocation, for its log line. */
export type PreviewWorkSummary = {
  isTaken: boolean;
  isEnded: boolean;
  isHandedOver: boolean;
  hours: number;
  eventsRead: number;
};

const notTaken: PreviewWorkSummary = { isTaken: false, isEnded: false, isHandedOver: false, hours: 0, eventsRead: 0 };

export type PreviewWorker = (request: PreviewRequested, invocation: Invocation) => Promise<PreviewWorkSummary>;

type StoredState = { version: number; run: RunState };

export const createPreviewWorker = (dependencies: PreviewWorkerDependencies): PreviewWorker => {
  const { previews, states, readInputs, events, bus, clock, syncIntervalMs } = dependencies;
  const { checkpointEveryMs = CHECKPOINT_EVERY_MS } = dependencies;

  const readState = async (organizationId: string, stored: StoredPreview): Promise<RunState> => {
    const before =
      stored.work && ((await states.read(organizationId, stored.id, stored.work)) as StoredState | undefined);
    if (before?.version === STATE_VERSION) return before.run;
    return newRunState(stored, await readInputs(organizationId, stored, clock()));
  };

  const work = async (
    organizationId: string,
    stored: StoredPreview,
    owner: LeaseOwner,
    { remainingMs }: Invocation,
  ): Promise<PreviewWorkSummary> => {
    const { id, to, readFrom } = stored;
    const lease = createHeldLease<PreviewCheckpoint>({ leases: previews, clock }, organizationId, id, owner);
    const run = createPreviewRun(stored, { organizationId, syncIntervalMs }, await readState(organizationId, stored));
    const scope = organizationKey(organizationId);
    let present: PreviewWork | undefined = stored.work;
    let savedAt = clock();
    const summary = { ...notTaken, isTaken: true };

    const save = async (): Promise<void> => {
      await lease.keep();
      const state: StoredState = { version: STATE_VERSION, run: run.state() };
      const name = await states.put(organizationId, id, state, expiresAtOf(stored));
      const next = { ...name, hours: Math.round((run.next() - readFrom) / HOUR_MS) };
      try {
        await lease.checkpoint({ id, work: next });
      } catch (error) {
        // The preview may have been erased: its state must not stay.
        if (error instanceof LeaseLostError) await states.delete(organizationId, id, next);
        throw error;
      }
      if (present !== undefined) await states.delete(organizationId, id, present);
      present = next;
      savedAt = clock();
    };

    const judgeStep = async (): Promise<void> => {
      const first = run.next();
      const hours = Array.from({ length: HOURS_PER_STEP }, (_, i) => first + i * HOUR_MS).filter((hour) => hour < to);
      const facts = new Map<number, Fact[]>();
      await inParallel(hours, HOURS_PER_STEP, async (hour) => {
        const reading = { recordedBy: run.judgedAt(hour), isConsistent: false };
        facts.set(hour, await events.readHour(scope, hour, clock(), reading));
      });
      for (const hour of hours) {
        const ofHour = facts.get(hour) ?? [];
        await run.judge(ofHour);
        summary.eventsRead += ofHour.length;
      }
      summary.hours += hours.length;
    };

    while (run.next() < to) {
      if (stored.requestedAt + TIME_LIMIT_MS <= clock()) {
        writeLog("warn", "A preview took too long", { previewId: id });
        await previews.end(organizationId, id, { error: "too_slow" }, owner);
        return { ...summary, isEnded: true };
      }
      if (remainingMs() < HANDOVER_MS) {
        await save();
        await handOver({ lease, bus, remainingMs }, previewRequested({ organizationId, previewId: id }));
        return { ...summary, isHandedOver: true };
      }
      await judgeStep();
      if (clock() - savedAt >= checkpointEveryMs) await save();
      else await lease.keep();
    }
    await lease.confirm();
    await previews.end(organizationId, id, { result: run.result() }, owner);
    if (present !== undefined) await states.delete(organizationId, id, present);
    return { ...summary, isEnded: true };
  };

  /**
   * Works on the requested preview, unless it has another worker or has ended: requests may be delivered twice.
   * @throws any failure, so that the request is delivered again: DomainError `store_unavailable`.
   */
  return async ({ organizationId, previewId }, invocation) => {
    const owner = { delivery: invocation.delivery, attempt: dependencies.newToken() };
    const stored = await previews.take(organizationId, previewId, owner, clock());
    if (stored === undefined) return notTaken;
    try {
      return await work(organizationId, stored, owner, invocation);
    } catch (error) {
      if (error instanceof LeaseLostError) return { ...notTaken, isTaken: true };
      throw error;
    }
  };
};
