/**
 * When a notification of an alert is sent: at once, or in a summary. Pure. docs/notifications.md, "Quiet hours and
 * digests". Times are epoch ms.
 */
import { HOUR_MS, MINUTE_MS, startOfHour } from "../terms/hours.ts";
import type { RiskLevel } from "../terms/risk-levels.ts";
import { endOf, isWithin, nextDaily } from "../terms/zoned-time.ts";
import type { Destination } from "./destination.ts";
import type { SummaryReason } from "./messages/notification.ts";

/** A storm: more than this many notifications of a destination and of one kind of places within this time. */
export const STORM_WINDOW_MS = 10 * MINUTE_MS;
export const MAX_IN_WINDOW = 20;

/** The kinds of places in a storm window: a flood of lower levels cannot take the places of a higher level. */
export const stormPlaces = ["criticalIds", "highIds", "ids"] as const;
export type StormPlaces = (typeof stormPlaces)[number];

export const placesOf = (level: RiskLevel): StormPlaces =>
  level === "CRITICAL" ? "criticalIds" : level === "HIGH" ? "highIds" : "ids";

/** The summary that a notification waits for: all with the same reason and time share it. */
export type Hold = { reason: SummaryReason; dueAt: number };

type Rhythm = Pick<Destination, "quietHours" | "digest">;

/** The end of the quiet hours if `at` lies within them and they count for the level; undefined otherwise. */
const quietUntil = ({ quietHours }: Rhythm, level: RiskLevel, at: number): number | undefined => {
  if (quietHours === undefined || (quietHours.exceptCritical && level === "CRITICAL")) return undefined;
  return isWithin(at, quietHours) ? endOf(quietHours, at) : undefined;
};

const nextDigest = ({ every, at, timeZone }: NonNullable<Rhythm["digest"]>, now: number): number =>
  every === "hour" ? startOfHour(now) + HOUR_MS : nextDaily(now, at, timeZone);

/** Whether a notification waits for a digest or for the end of the quiet hours; undefined if it does not. */
export const decideHold = (rhythm: Rhythm, level: RiskLevel, now: number): Hold | undefined => {
  if (rhythm.digest !== undefined) {
    const next = nextDigest(rhythm.digest, now);
    return { reason: "digest", dueAt: quietUntil(rhythm, level, next) ?? next };
  }
  const dueAt = quietUntil(rhythm, level, now);
  return dueAt === undefined ? undefined : { reason: "quiet_hours", dueAt };
};

/** The summary of a storm: at the end of its window, or of the quiet hours that have begun by then. */
export const holdForStorm = (rhythm: Rhythm, level: RiskLevel, windowStartedAt: number): Hold => {
  const end = windowStartedAt + STORM_WINDOW_MS;
  return { reason: "storm", dueAt: quietUntil(rhythm, level, end) ?? end };
};
