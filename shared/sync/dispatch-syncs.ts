/**
 * Every few hours: asks for a run of each connected organization, so many a second, so that not all of them meet the
 * provider at once. The worker begins the run (take-run.ts), once for the occurrence however often it is asked.
 */
import * as z from "zod/mini";
import type { Clock } from "../runtime/clock.ts";
import type { BusEvent, EventBus } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../security/event-source.ts";
import { syncRequested } from "./sync-request.ts";

/** A call of the bus takes ten; one each half second makes twenty organizations a second. */
const BATCH = 10;
const BATCH_EVERY_MS = 500;

/** Of the function's time, for handing the rest to another invocation. */
const HANDOVER_MS = 20_000;

/** A bus that takes nothing for so many batches is left to the repetition of the whole. */
const MAX_REFUSALS = 20;

export const SYNC_DISPATCH_TYPE = "SyncDispatchContinued";

/** The detail of what continues a dispatch: its occurrence (epoch ms), and the organization it came to. A schedule's has neither. */
export const SyncDispatch = z.object({ slot: z.optional(z.number()), after: z.optional(z.string()) });
export type SyncDispatch = z.output<typeof SyncDispatch>;

export type DispatchParts = {
  /** All connected organizations in an order that lasts, from the one after `after` on. */
  connectedOrganizations(after?: string): AsyncIterable<string>;
  bus: Pick<EventBus, "publish">;
  clock: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

const continuation = (detail: SyncDispatch): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: SYNC_DISPATCH_TYPE,
  detail,
});

/** @returns how many were asked for; those asked for again count again. */
export const createSyncDispatcher = ({ connectedOrganizations, bus, clock, sleep }: DispatchParts) => {
  /** Publishes until the bus has taken all. @throws Error where it takes none of them for long. */
  const publish = async (events: readonly BusEvent[]): Promise<void> => {
    let left = events;
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === MAX_REFUSALS) throw new Error("The event bus does not take the requests for runs.");
      if (attempt > 0) await sleep(BATCH_EVERY_MS);
      left = (await bus.publish(left)).map(({ event }) => event);
    }
  };

  /**
   * @param slot the schedule's occurrence, epoch ms.
   * @throws Error where the bus does not take them: repeated from the beginning, it does no harm.
   */
  return async (slot: number, after: string | undefined, remainingMs: () => number) => {
    let requested = 0;
    let batch: string[] = [];
    let startedAt: number | undefined;
    /** Between batches only: the last one has nothing to wait for. */
    const keepPace = async (): Promise<void> => {
      const waitMs = startedAt === undefined ? 0 : startedAt + BATCH_EVERY_MS - clock();
      if (waitMs > 0) await sleep(waitMs);
    };
    const send = async (): Promise<void> => {
      await keepPace();
      startedAt = clock();
      await publish(batch.map((organizationId) => syncRequested({ organizationId, slot })));
      requested += batch.length;
      batch = [];
    };
    for await (const organizationId of connectedOrganizations(after)) {
      batch.push(organizationId);
      if (batch.length < BATCH) continue;
      await send();
      if (remainingMs() > HANDOVER_MS) continue;
      await keepPace();
      await publish([continuation({ slot, after: organizationId })]);
      return { requested, isHandedOver: true };
    }
    if (batch.length > 0) await send();
    return { requested, isHandedOver: false };
  };
};
