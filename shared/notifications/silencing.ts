/**
 * Changes by which a destination gets fewer alerts: each raises an alert, so that the alarm cannot be switched off unseen.
 * Pure. docs/notifications.md, "Changes that silence".
 *
 * The write of the change also stores a silencing: what the dispatcher does once the alert is raised. Before the write, a
 * delayed message is sent, whose receiver raises the alert if the instance died before it did:
 *
 *     request:     send the message ── write change and silencing ── record the event, which raises the alert
 *     dispatcher:                                                          alert ── deliver ── delete the silencing
 *     sender:      a minute later: publishes the event if it is not recorded yet
 */
import * as z from "zod/mini";
import { riskLevels } from "../terms/risk-levels.ts";
import type { Destination } from "./destination.ts";
import { notifiedChanges } from "./messages/notification.ts";

/** What a change does to a destination. `held`: quiet hours or a digest hold HIGH or CRITICAL alerts longer than before. */
export const silencingKinds = ["deleted", "paused", "unsubscribed", "moved", "narrowed", "held"] as const;
export type SilencingKind = (typeof silencingKinds)[number];

/** Where a destination led before a change, for one delivery. `sealed` has its URL and secrets. */
export const FormerDestination = z.object({
  target: z.string(),
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
});
export type FormerDestination = z.output<typeof FormerDestination>;

/**
 * `eventId`: of the change's security event, and of the deliveries. `title`: of the change; the alert has that of its first.
 * A recipient who unsubscribed is not told: no `former`.
 */
export const Silencing = z.object({
  destinationId: z.string(),
  eventId: z.string(),
  title: z.string(),
  former: z.optional(FormerDestination),
  ttl: z.number(),
});
export type Silencing = z.output<typeof Silencing>;

/** A silencing whose alert is never dispatched expires after this time. */
export const SILENCING_LIFE_MS = 2 * 24 * 3_600_000;

/** How long after the request the sender looks whether the change is recorded. */
export const WATCH_AFTER_SECONDS = 60;

type Settings = Pick<Destination, "status" | "filter" | "quietHours" | "digest">;

/** Whether a list takes less than before. Without a list all are taken. @param all undefined if new ones may be added. */
const takesLess = (
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  all: readonly string[] | undefined,
): boolean => {
  if (after === undefined) return false;
  const taken = before ?? all;
  return taken === undefined || taken.some((one) => !after.includes(one));
};

const isNarrowed = ({ filter: before }: Settings, { filter: after }: Settings): boolean =>
  before.changes?.length !== 0 &&
  (takesLess(before.levels, after.levels, riskLevels) ||
    takesLess(before.rules, after.rules, undefined) ||
    takesLess(before.changes, after.changes, notifiedChanges));

const minutesOf = (time: string): number => 60 * Number(time.slice(0, 2)) + Number(time.slice(3));
const DAY_MINUTES = 1_440;

/** Whether quiet hours contain every minute of others in the same time zone. */
const contain = (outer: NonNullable<Settings["quietHours"]>, inner: NonNullable<Settings["quietHours"]>): boolean => {
  const length = (from: string, to: string) => (minutesOf(to) - minutesOf(from) + DAY_MINUTES) % DAY_MINUTES;
  return (
    outer.timeZone === inner.timeZone &&
    length(outer.from, inner.from) + length(inner.from, inner.to) <= length(outer.from, outer.to)
  );
};

const isHeldByQuietHours = ({ quietHours: before }: Settings, { quietHours: after, filter }: Settings): boolean => {
  if (after === undefined) return false;
  const takes = (level: "HIGH" | "CRITICAL") => filter.levels?.includes(level) ?? true;
  const holdsCritical = takes("CRITICAL") && !after.exceptCritical;
  if (!takes("HIGH") && !holdsCritical) return false;
  return before === undefined || !contain(before, after) || (holdsCritical && before.exceptCritical);
};

const isHeldByDigest = ({ digest: before }: Settings, { digest: after, filter }: Settings): boolean => {
  const takesAny = filter.levels?.some((level) => level === "HIGH" || level === "CRITICAL") ?? true;
  if (after === undefined || !takesAny) return false;
  return before === undefined || (before.every === "hour" && after.every === "day");
};

/**
 * How a change silences a destination; undefined if it gets as much as before, or got nothing before.
 * @param isMoved whether it has another URL or address.
 */
export const silencingOf = (
  before: Settings,
  after: Settings,
  { isMoved }: { isMoved: boolean },
): SilencingKind | undefined => {
  if (before.status !== "active") return undefined;
  if (isMoved) return "moved";
  if (after.status !== "active") return "paused";
  if (isNarrowed(before, after)) return "narrowed";
  if (after.filter.changes?.length === 0) return undefined;
  return isHeldByQuietHours(before, after) || isHeldByDigest(before, after) ? "held" : undefined;
};
