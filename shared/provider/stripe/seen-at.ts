/** When an answer's objects were as it says, by the provider's clock. Pure. */
import type { SeenAt } from "../../records/observation.ts";

/** How far the provider's clock and ours may be apart; the provider itself bears as much in signatures. */
const CLOCK_TOLERANCE_SECONDS = 300;

/**
 * The provider read its objects while the request was under way: between the answer's date less the request's time,
 * and that date. The date is cut to whole seconds, so the start is a second earlier still.
 * Without a date there is only our clock, and the interval is five minutes wider on both sides: next to anything that
 * happened then, the object counts as not ordered, and is read again.
 * @param sentAt and `receivedAt` in epoch ms of our clock.
 * @param date the answer's Date header.
 */
export const seenAtOf = ({
  date,
  sentAt,
  receivedAt,
}: {
  date: string | undefined;
  sentAt: number;
  receivedAt: number;
}): SeenAt => {
  const durationSeconds = Math.max(0, Math.ceil((receivedAt - sentAt) / 1_000));
  const answeredAt = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isFinite(answeredAt) && answeredAt >= 0) {
    const to = Math.floor(answeredAt / 1_000);
    return { from: Math.max(0, to - durationSeconds - 1), to };
  }
  const to = Math.floor(receivedAt / 1_000);
  return {
    from: Math.max(0, to - durationSeconds - 1 - CLOCK_TOLERANCE_SECONDS),
    to: to + CLOCK_TOLERANCE_SECONDS,
  };
};
