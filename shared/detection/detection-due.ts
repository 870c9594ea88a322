/** That an organization has hours to be judged, as it travels over the event bus. */
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";

/** The detail-types that rules match. */
export const DETECTION_DUE_TYPE = "DetectionDue";
export const DETECTION_CONTINUED_TYPE = "DetectionDispatchContinued";

/**
 * The fields of an event, each with what is due of one organization. A rule for each hands it to an invocation of its own
 * (infra/constructs/judging-functions.ts): the bus is paid by the event, so ten organizations cost what one would.
 */
export const DUE_SLOTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"] as const;

/** So many hours are judged at once, the oldest; the next dispatch brings those that are left. */
export const MAX_HOURS = 48;

/**
 * Without an organization: the events that have none. `hours`: their starts, epoch ms, the oldest first; `marked`:
 * those of them that have a mark to be taken away. A detail of the same version only ever gains fields.
 */
export const DetectionDue = z.object({
  version: z.literal(1),
  organizationId: z.optional(z.string()),
  hours: z.array(z.number()).check(z.minLength(1), z.maxLength(MAX_HOURS)),
  marked: z.array(z.number()),
});
export type DetectionDue = z.output<typeof DetectionDue>;

/** What is due of ten organizations at most, in one event. Delivered twice, or too late, it changes nothing. */
export const detectionDue = (due: readonly Omit<DetectionDue, "version">[]): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: DETECTION_DUE_TYPE,
  detail: Object.fromEntries(
    DUE_SLOTS.flatMap((slot, index) => {
      const one = due[index];
      return one === undefined ? [] : [[slot, { version: 1, ...one } satisfies DetectionDue]];
    }),
  ),
});

/** The detail of what continues a dispatch: the scope it came to. A schedule's has none. */
export const DetectionDispatch = z.object({ after: z.optional(z.string()) });
export type DetectionDispatch = z.output<typeof DetectionDispatch>;

export const dispatchContinued = (detail: DetectionDispatch): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: DETECTION_CONTINUED_TYPE,
  detail,
});
