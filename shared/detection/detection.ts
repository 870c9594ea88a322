/**
 * Detection judges the events of each hour by rules, and raises findings. An hour of it, in reading order:
 * functions/detection/dispatch-detection.ts and dispatch-detection.ts find the hours that are due and publish them;
 * functions/detection/detect-organization.ts and detect-organization.ts read an hour's facts (event-facts-store.ts), its
 * sync state (sync-facts-store.ts) and its baselines (baselines.ts), judge it (rules/rules.ts), store the result
 * (window-store.ts) and raise its findings (raise-finding.ts). failure-monitor.ts and observe-latency.ts find at once.
 *
 * The keys of detection's table: partition key `scope`, sort key `key`, expiry `ttl`. A scope is an organization's key,
 * or `none` for events without an organization, whose 16 partitions are judged together.
 *
 * - `window#2026-11-21T10`: the hour was judged, with which result (window-store.ts).
 * - `unjudged#2026-11-21T10`: the hour has events, is closed and was not judged (unjudged-store.ts). In the sparse index
 *   byUnjudged: partition key `unjudgedShard` ("0" to "7"), sort key `key`, keys only.
 * - `money#due#2026-11-21T10`: the hour's money is to be judged (money/due-money-store.ts). In the same index.
 * - `baseline`: the days of the organization (baseline-store.ts); `user#<hash>`: those of a user.
 * - Scope `#detector`, key `2026-11-21T10`: the hour's dispatch was completed (unjudged-store.ts).
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { BusEvent } from "../runtime/event-bus.ts";
import { EVENT_SOURCE } from "../terms/event-source.ts";
import { hourName, timeOfName } from "../terms/hours.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";

/** The scope of events without an organization. */
export const UNOWNED_SCOPE = "none";

export const detectionScope = (organizationId: string | undefined): string =>
  organizationId === undefined ? UNOWNED_SCOPE : organizationKey(organizationId);

const isUnowned = (partition: string): boolean => partition.split("#", 1)[0] === UNOWNED_SCOPE;

/** The scope that a partition of events is judged in. */
export const scopeOfPartition = (partition: string): string => (isUnowned(partition) ? UNOWNED_SCOPE : partition);

/** The organization of a scope; undefined for events without one. */
export const organizationOfScope = (scope: string): string | undefined =>
  isUnowned(scope) ? undefined : organizationIdOf(scope);

export const WINDOW_PREFIX = "window#";

/** @param hour epoch ms. */
export const windowKey = (hour: number): string => WINDOW_PREFIX + hourName(hour);

export const hourOfWindowKey = (key: string): number => timeOfName(key.slice(WINDOW_PREFIX.length));

const UNJUDGED_PREFIX = "unjudged#";

export const unjudgedKey = (hour: number): string => UNJUDGED_PREFIX + hourName(hour);

const MONEY_DUE_PREFIX = "money#due#";

export const moneyDueKey = (hour: number): string => MONEY_DUE_PREFIX + hourName(hour);

/** The hour of a mark, and what is to be judged of it; both kinds are in one index. */
export const dueOfKey = (key: string): { hour: number; of: "events" | "money" } =>
  key.startsWith(MONEY_DUE_PREFIX)
    ? { hour: timeOfName(key.slice(MONEY_DUE_PREFIX.length)), of: "money" }
    : { hour: timeOfName(key.slice(UNJUDGED_PREFIX.length)), of: "events" };

export const BASELINE_KEY = "baseline";

export const DETECTOR_SCOPE = "#detector";

export const USER_PREFIX = "user#";

const USER_HASH_BYTES = 9;

/** The hash that stands for a user in baselines: 12 characters, different in each organization. */
export const userHash = (scope: string, userId: string): string =>
  createHash("sha256").update(`${scope}\n${userId}`).digest().subarray(0, USER_HASH_BYTES).toString("base64url");

export const userKey = (hash: string): string => USER_PREFIX + hash;

/** The detail types of detection's bus events. */
export const DETECTION_DUE_TYPE = "DetectionDue";
export const DETECTION_CONTINUED_TYPE = "DetectionDispatchContinued";

/**
 * The fields of a DetectionDue event, each with the hours of one organization. A bus rule per field starts an invocation
 * for it (shared/api/background-functions.ts). The bus charges per event, so ten organizations cost what one would.
 */
export const DUE_SLOTS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"] as const;

/** The most hours of an organization per dispatch, the oldest first; the next dispatch finds the others. */
export const MAX_HOURS = 48;

/**
 * The hours of an organization that are due, or of the events without one. `hours`: their starts in epoch ms, oldest
 * first. `marked`: those of them with a mark to clear. `money`: the hours, of these or others, whose money is marked as due.
 * A detail of this version may only gain fields.
 */
export const DetectionDue = z.object({
  version: z.literal(1),
  organizationId: z.optional(z.string()),
  hours: z.array(z.number()).check(z.maxLength(MAX_HOURS)),
  marked: z.array(z.number()),
  money: z.optional(z.array(z.number()).check(z.maxLength(MAX_HOURS))),
});
export type DetectionDue = z.output<typeof DetectionDue>;

/** The event of up to ten organizations. Delivered twice or late, it changes nothing. */
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

/**
 * What starts a dispatch: the schedule, with an empty detail; or a dispatch that ran out of time after the scope `after`
 * and must end by `until`, epoch ms.
 */
export const DetectionDispatch = z.object({ after: z.optional(z.string()), until: z.optional(z.number()) });
export type DetectionDispatch = z.output<typeof DetectionDispatch>;

export const dispatchContinued = (detail: DetectionDispatch): BusEvent => ({
  source: EVENT_SOURCE,
  detailType: DETECTION_CONTINUED_TYPE,
  detail,
});
