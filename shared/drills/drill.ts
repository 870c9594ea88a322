/**
 * Fire drills: a labelled brute force runs through the recorder, the rule, the alert and all active destinations, so that an
 * organization sees whether its alarms arrive. A drill is in no statistic, export or report but as "the last drill".
 * Reading order: this file has what the API returns; request-drill.ts starts a drill, run-drill.ts carries it out,
 * read-drill.ts finds how far it came, run-due-drills.ts starts monthly ones. docs/drills.md.
 */
import * as z from "zod/mini";
import { described } from "../json/described.ts";
import { epochMs } from "../json/number-fields.ts";
import { strictObject } from "../json/strict-object.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfDay } from "../terms/hours.ts";

/** A drill that is not complete by then has failed. Decisions: docs/limits.md, like all limits here. */
export const DRILL_LIMIT_MS = 10 * MINUTE_MS;

/** Drills of an organization that begin in a UTC day; failed ones count. */
export const MAX_DRILLS_PER_DAY = 10;

export const drillStatuses = ["running", "succeeded", "failed"] as const;

export const DrillRequest = strictObject({});

export const StartedDrill = z
  .object({
    id: z.string(),
    status: z.enum(drillStatuses),
    startedAt: epochMs("when it was started."),
  })
  .register(z.globalRegistry, { id: "StartedDrill", description: "A fire drill that was started." });
export type StartedDrill = z.output<typeof StartedDrill>;

export const DrillDelivery = z
  .object({
    destinationId: z.string(),
    acceptedAt: z.optional(epochMs("when the destination took the notification.")),
    failedAt: z.optional(epochMs("when the delivery was given up, or the drill ended without it.")),
  })
  .register(z.globalRegistry, {
    id: "DrillDelivery",
    description: "The drill's notification of one destination; without a time, it is on its way.",
  });
export type DrillDelivery = z.output<typeof DrillDelivery>;

const DrillStages = z
  .object({
    recordedAt: z.optional(epochMs("when its events were stored.")),
    judgedAt: z.optional(epochMs("when the rule had found them.")),
    alertedAt: z.optional(epochMs("when its alert was raised.")),
    deliveries: described(
      z.array(DrillDelivery),
      "One for each destination that was active when the alert was raised; empty without destinations.",
    ),
    acknowledgedAt: z.optional(epochMs("when a user acknowledged its alert.")),
    acknowledgedBy: z.optional(z.string()),
  })
  .register(z.globalRegistry, { id: "DrillStages", description: "When a drill reached each stage." });

export const Drill = z
  .object({
    ...StartedDrill.shape,
    endedAt: z.optional(epochMs("when it had succeeded or failed.")),
    alertId: z.optional(z.string()),
    stages: DrillStages,
  })
  .register(z.globalRegistry, { id: "Drill", description: "A fire drill of the alarms, and how far it came." });
export type Drill = z.output<typeof Drill>;

const MONTHLY_HOUR = 10;
const MONDAY = 1;
const WEEK_DAYS = 7;

/** 10:00 UTC on the first Monday of a month. @param month 0 to 11; others lie in other years. */
const firstMonday = (year: number, month: number): number => {
  const first = Date.UTC(year, month, 1);
  const days = (MONDAY - new Date(first).getUTCDay() + WEEK_DAYS) % WEEK_DAYS;
  return first + days * DAY_MS + MONTHLY_HOUR * HOUR_MS;
};

/**
 * When a monthly drill is due that can still start: after 10:00 UTC on a first Monday, until the day is over. Undefined
 * otherwise. @param now epoch ms.
 */
export const dueOccurrence = (now: number): number | undefined => {
  const date = new Date(now);
  const occurrence = firstMonday(date.getUTCFullYear(), date.getUTCMonth());
  return occurrence <= now && startOfDay(occurrence) === startOfDay(now) ? occurrence : undefined;
};
