/**
 * Closes more hours than one invocation can: if its time runs short, each shard of the open hours gets an invocation of its
 * own, and continues by itself until its hours are closed or the schedule starts again.
 */
import * as z from "zod/mini";
import type { BusEvent, EventBus } from "../../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../../terms/event-source.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import { continueIn } from "../../work/hand-over.ts";
import { type CloseHoursDependencies, closeHours } from "./close-hours.ts";
import { openHourShards } from "./open-hour-store.ts";

export const CLOSING_CONTINUED_TYPE = "HourClosingContinued";

/** What starts a run: the schedule, with an empty detail; or a run whose time ran short. `until`: epoch ms. */
export const HourClosing = z.object({ shard: z.optional(z.string()), until: z.optional(z.number()) });
export type HourClosing = z.output<typeof HourClosing>;

/** The schedule's next run begins an hour after this one; two of them would close the same hours. */
const CONTINUED_MS = HOUR_MS - 5 * 60_000;

const closingContinued = (detail: Required<HourClosing>): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: CLOSING_CONTINUED_TYPE,
  detail,
});

/** @throws Error if hours could not be closed, or if the bus does not take the events: the run may be repeated. */
export const closeHoursOf = async (
  { bus, ...dependencies }: CloseHoursDependencies & { bus: Pick<EventBus, "publish"> },
  { shard, until = dependencies.now() + CONTINUED_MS }: HourClosing,
  remainingMs: () => number,
) => {
  const result = await closeHours(dependencies, remainingMs, shard);
  // A run that closed nothing would hand over for ever.
  const isHandedOver = !result.isComplete && result.closed > 0 && dependencies.now() < until;
  if (isHandedOver) {
    const shards = shard === undefined ? openHourShards : [shard];
    await continueIn(
      { bus, remainingMs },
      shards.map((one) => closingContinued({ shard: one, until })),
    );
  }
  return { ...result, isHandedOver };
};
