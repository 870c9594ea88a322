/** When the schedule of syncs is due next, by its last known occurrence. Pure. */
import type { Occurrence } from "./occurrence-store.ts";

/** After this time an occurrence without an event is lost: longer than Lambda's three tries at it, of about four minutes. */
export const LATE_MS = 10 * 60_000;

/** How many occurrences after the known one are lost by now. */
export const lostOccurrences = ({ slot }: Pick<Occurrence, "slot">, now: number, intervalMs: number): number =>
  Math.max(0, Math.floor((now - LATE_MS - slot) / intervalMs));

type Clocked = { now: number; intervalMs: number };

/**
 * When the next occurrence is due, in epoch ms. It is past for at most ten minutes: then its event is late.
 * Until the first occurrence, only the latest time is known: the schedule is older than the organization's connection.
 * @param connectedAt when the organization connected, epoch ms.
 * @returns undefined if neither is known.
 */
export const nextOccurrence = (
  known: Occurrence | undefined,
  connectedAt: number | undefined,
  { now, intervalMs }: Clocked,
): number | undefined => {
  const times = [known?.slot, known === undefined || known.isStart === true ? connectedAt : undefined];
  const slot = Math.min(...times.filter((time) => time !== undefined));
  return Number.isFinite(slot) ? slot + (lostOccurrences({ slot }, now, intervalMs) + 1) * intervalMs : undefined;
};
