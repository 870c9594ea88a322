/** When the schedule of syncs is due next, by its last known occurrence. Pure. */
import type { Occurrence } from "./occurrence-store.ts";

/** After this time an occurrence without an event is lost: longer than Lambda's three tries at it, of about four minutes. */
export const LATE_MS = 10 * 60_000;

/** How many occurrences after the known one are lost by now. */
export const lostOccurrences = ({ slot }: Pick<Occurrence, "slot">, now: number, intervalMs: number): number =>
  Math.max(0, Math.floor((now - LATE_MS - slot) / intervalMs));

/**
 * When the next occurrence is due, in epoch ms. It is past for at most ten minutes: then its event is late.
 * @returns undefined if no occurrence is known yet, because the phase of the schedule is its time of deployment.
 */
export const nextOccurrence = (known: Occurrence | undefined, now: number, intervalMs: number): number | undefined =>
  known === undefined || known.isStart === true
    ? undefined
    : known.slot + (lostOccurrences(known, now, intervalMs) + 1) * intervalMs;
