/**
 * What sending writes: the lease and the tries of a delivery, and how its destination fares. A delivery belongs to the
 * instance whose lease it has, so two messages of one delivery are not sent at once.
 */
import { definedFields } from "../json/defined-fields.ts";
import { getItem, type Table, updateItem } from "../runtime/table.ts";
import { DAY_MS, dayName } from "../terms/hours.ts";
import { type DeliveryAttempt, type DeliveryMessage, MAX_ATTEMPTS, type StoredDelivery } from "./delivery.ts";
import type { MailFailure } from "./mail-feedback.ts";
import {
  type DestinationItem,
  deliveryKey,
  destinationKey,
  mailsKey,
  parseDeliveryItem,
  parseDestinationItem,
} from "./notification-items.ts";

/** Longer than the function's time-out: a lease that ended belongs to an instance that is gone. */
const LEASE_MS = 75_000;

/** `busy`: another instance sends the delivery, until `until`. `early`: it is not due before `until`. Both epoch ms. */
export type Claimed =
  | { is: "claimed"; delivery: StoredDelivery }
  | { is: "busy" | "early"; until: number }
  | { is: "ended" };

/**
 * How a try ended. Times in epoch ms. `again`: when the next try is due. `tries`: the failed ones, this one included.
 * `waiting`: no slot was free, so there was no try.
 */
export type TryResult =
  | { is: "delivered"; at: number }
  | { is: "again"; notBefore: number; tries: number }
  | { is: "waiting"; notBefore: number; waits: number; tries?: never }
  | { is: "failed"; at: number; error: string; tries?: number };

/** What a destination's item keeps of a try. `at`: when it began, epoch ms. `isSlow`: it took long (sending-slots.ts). */
export type TryNote = { at: number; isSlow: boolean };

/** The destination exists, and nothing was delivered to it after `at`. */
const HAS_NOT_SUCCEEDED_SINCE =
  "attribute_exists(#key) AND (attribute_not_exists(#lastDeliveredAt) OR #lastDeliveredAt <= :at)";

/** No mail came back after `at`, and none has paused the destination. */
const HAS_NOT_BOUNCED_SINCE = "(attribute_not_exists(#failingBecause) OR (#failingSince <= :at AND #status = :active))";

export type SendingStore = ReturnType<typeof createSendingStore>;

/** All calls throw DomainError `store_unavailable`. */
export const createSendingStore = (table: Table<"notifications">) => ({
  /** Takes the lease of a delivery that is due. A bundle begins with it. @param token of this claim. */
  async claim(message: DeliveryMessage, { token, now }: { token: string; now: number }): Promise<Claimed> {
    const isFree = "(attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now)";
    const isDue = "(attribute_not_exists(#notBefore) OR #notBefore <= :now)";
    const { written, item } = await updateItem(table, deliveryKey(message.organizationId, message), {
      set: { leaseUntil: now + LEASE_MS, leaseToken: token },
      setOnce: { begunAt: now },
      condition: `#status = :pending AND ${isFree} AND ${isDue}`,
      values: { pending: "pending", now },
      own: "leaseToken",
      returns: "after",
    });
    if (item?.key === undefined) return { is: "ended" };
    const stored = parseDeliveryItem(item);
    if (written) return { is: "claimed", delivery: stored };
    if (stored.status !== "pending") return { is: "ended" };
    const { leaseUntil = 0, notBefore = 0 } = stored;
    return leaseUntil > now ? { is: "busy", until: leaseUntil } : { is: "early", until: notBefore };
  },

  /** Keeps the text of a summary, so that every try says the same. @returns false if the lease was lost. */
  async keepNotification(message: DeliveryMessage, token: string, notification: string): Promise<boolean> {
    const { written } = await updateItem(table, deliveryKey(message.organizationId, message), {
      set: { notification },
      condition: "#leaseToken = :token",
      values: { token },
    });
    return written;
  },

  /**
   * Records how a try ended and gives the lease back. @returns false if the lease was lost, or the answer of an attempt
   * of this call was: the delivery must be looked at again.
   */
  async record(
    message: DeliveryMessage,
    token: string,
    result: TryResult,
    attempts: readonly DeliveryAttempt[],
  ): Promise<boolean> {
    const { tries } = result.is === "delivered" ? {} : result;
    const isPending = result.is === "again" || result.is === "waiting";
    const outcome = isPending
      ? { notBefore: result.notBefore, ...(result.is === "waiting" && { waits: result.waits }) }
      : { status: result.is, endedAt: result.at, ...(result.is === "failed" && { error: result.error }) };
    const { written } = await updateItem(table, deliveryKey(message.organizationId, message), {
      set: { ...outcome, ...definedFields({ tries }), attempts: attempts.slice(-MAX_ATTEMPTS) },
      remove: [
        "leaseUntil",
        "leaseToken",
        "isRetryUnsent",
        ...(result.is === "waiting" ? [] : ["waits"]),
        ...(isPending ? [] : ["notBefore", "former"]),
      ],
      condition: "#leaseToken = :token",
      values: { token },
    });
    return written;
  },

  /**
   * Counts a mail of the organization's day (UTC); one write unit. @param at epoch ms.
   * @returns false if the organization has had `most` mails that day.
   */
  async countMail(organizationId: string, { at, most }: { at: number; most: number }): Promise<boolean> {
    const { written } = await updateItem(table, mailsKey(organizationId, dayName(at)), {
      add: { count: 1 },
      set: { ttl: Math.ceil((at + 2 * DAY_MS) / 1_000) },
      condition: "attribute_not_exists(#count) OR #count < :most",
      values: { most },
    });
    return written;
  },

  /** Reads strongly; undefined if the destination was deleted. */
  async readDestination(organizationId: string, id: string): Promise<DestinationItem | undefined> {
    const item = await getItem(table, destinationKey(organizationId, id));
    return item && parseDestinationItem(item);
  },

  /** Notes a success: the destination does not fail any more. A mail that bounced after it was sent was no success. */
  async noteSuccess(organizationId: string, id: string, { at, isSlow }: TryNote): Promise<void> {
    await updateItem(table, destinationKey(organizationId, id), {
      set: { lastDeliveredAt: at, ...(isSlow && { isSlow }) },
      remove: ["failingSince", "failingBecause", ...(isSlow ? [] : ["isSlow"])],
      condition: `${HAS_NOT_SUCCEEDED_SINCE} AND ${HAS_NOT_BOUNCED_SINCE}`,
      values: { at, active: "active" },
    });
  },

  /**
   * Notes what became of a mail, and pauses the destination if that is final. A paused destination, and one with another
   * address, stay as they are.
   * @param failure.at epoch ms. @param failure.target the address that the mail went to.
   */
  async noteFeedback(
    organizationId: string,
    id: string,
    { at, because, isFinal, target }: { at: number; because: MailFailure; isFinal: boolean; target: string },
  ): Promise<void> {
    const pause = { status: "paused", pausedAt: at, pausedBecause: "failing" };
    await updateItem(table, destinationKey(organizationId, id), {
      set: { failingBecause: because, ...(isFinal && pause) },
      setOnce: { failingSince: at },
      condition: "#target = :target AND #status <> :paused",
      values: { target, paused: "paused" },
    });
  },

  /** Notes a failed try. @returns since when the destination fails; undefined if it is gone or succeeded since. */
  async noteFailure(organizationId: string, id: string, { at, isSlow }: TryNote): Promise<number | undefined> {
    const { written, item } = await updateItem(table, destinationKey(organizationId, id), {
      ...(isSlow ? { set: { isSlow } } : { remove: ["isSlow"] }),
      setOnce: { failingSince: at },
      condition: HAS_NOT_SUCCEEDED_SINCE,
      values: { at },
      returns: "after",
    });
    return written ? parseDestinationItem(item).failingSince : undefined;
  },

  /** Pauses an active destination. */
  async pause(organizationId: string, id: string, { at, because }: { at: number; because: "failing" | "gone" }) {
    await updateItem(table, destinationKey(organizationId, id), {
      set: { status: "paused", pausedAt: at, pausedBecause: because },
      condition: "#status = :active",
      values: { active: "active" },
    });
  },
});
