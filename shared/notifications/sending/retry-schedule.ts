/** When a failed delivery is tried again. Pure. docs/notifications.md, "Tries". */
import { createHash } from "node:crypto";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The pauses after each failed try: eight, so nine tries over about 24 hours. The example of Standard Webhooks, with the last
 * pauses adapted to the time that SQS can hide a message.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#deliverability-and-reliability
 */
const PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  7 * HOUR_MS,
  9 * HOUR_MS,
];

/** SQS hides a message for at most 12 hours. */
const MAX_PAUSE_MS = 11 * HOUR_MS;

/** Each pause is up to a tenth longer or shorter, so that the deliveries of an outage do not come back all at once. */
const JITTER = 0.1;

/** From −1 to 1, the same for the same delivery and try. */
const spreadOf = (deliveryId: string, tries: number): number =>
  createHash("sha256").update(`${deliveryId} ${tries}`).digest().readUInt32BE(0) / 0x7fff_ffff - 1;

/** Milliseconds from now on that `Retry-After` asks for; undefined if it is no time. https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
const askedPause = (retryAfter: string, now: number): number | undefined => {
  const text = retryAfter.trim();
  if (/^[0-9]+$/.test(text)) return Number(text) * SECOND_MS;
  // An HTTP date begins with the day's name; Date.parse would take much else.
  const at = /^[A-Z][a-z]{2,8}[, ]/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now;
};

/**
 * The pause before the next try, in milliseconds; undefined if there is no other. `Retry-After` makes a pause longer, never
 * shorter. @param failed.tries the failed tries, this one included, from 1 on. @param failed.now epoch ms.
 */
export const pauseAfter = (
  deliveryId: string,
  { tries, retryAfter, now }: { tries: number; retryAfter?: string | undefined; now: number },
): number | undefined => {
  const pause = PAUSES_MS[tries - 1];
  if (pause === undefined) return undefined;
  const own = pause * (1 + JITTER * spreadOf(deliveryId, tries));
  const asked = retryAfter === undefined ? undefined : askedPause(retryAfter, now);
  return Math.round(Math.min(Math.max(own, asked ?? 0), MAX_PAUSE_MS));
};

/** The longest pause of a delivery that waits for a free slot, before it is spread. */
const MAX_WAIT_MS = 5 * MINUTE_MS;

/**
 * The pause of a delivery that found no free slot (sending-slots.ts), in milliseconds: 3 s, then three times as long each
 * time, at most 5 min; each up to half longer or shorter.
 * @param waits how often it found no slot since its last try, this time included, from 1 on.
 */
export const pauseForSlot = (deliveryId: string, waits: number): number => {
  const pause = Math.min(3 * SECOND_MS * 3 ** (waits - 1), MAX_WAIT_MS);
  return Math.round(pause * (1 + spreadOf(deliveryId, waits) / 2));
};

/** A destination that has failed for this time is paused. */
const FAILING_MS = 5 * 24 * HOUR_MS;

/** Whether a failed try pauses its destination. @param at of the failed try, epoch ms. */
export const hasFailedForLong = (failingSince: number | undefined, at: number): boolean =>
  failingSince !== undefined && at - failingSince >= FAILING_MS;
