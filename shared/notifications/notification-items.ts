/**
 * The items of table Notifications: partition key `scope` (the organization's, but for the last), sort key `key`, expiry
 * `ttl`.
 *
 * - `destination#<id>` a destination, without expiry.
 * - `destinations` the number of destinations, which bounds them; without expiry.
 * - `deleted#<id>` the deletion of a destination, until its event is recorded (notification-events.ts); without expiry.
 * - `confirmations#2026-11-21` the number of confirmation mails of a day, which bounds them.
 * - `mails#2026-11-21` the number of mails of a day, which bounds them.
 * - `tests` the samples of a minute, which bounds them (test-window-store.ts).
 * - `sending` the slots of tries under way, which bound these tries (sending-slots.ts).
 * - `delivery#<destinationId>#<deliveryId>` a delivery (delivery.ts). Its id sorts by time.
 * - `notice#<destinationId>#<alertId>` which changes of an alert were notified: an attribute for each level, for
 *   `unacknowledged` (an escalation) and for `resolved` holds the delivery and the alert's revision; the first writer wins.
 *   `isWithheld`: a mute withholds the raising.
 * - `window#<destinationId>` the storm window: since when, and the deliveries in it.
 * - `silenced#<destinationId>#<eventId>` a change that silences the destination, until its alert is dispatched (silencing.ts).
 * - `held#<destinationId>#<bundle's deliveryId>#<alertId>#<level or resolved>` a notification that waits in a bundle.
 * - `address#<digest>` as `scope`, `asked` as `key`: which organizations an e-mail address was asked for (mailed-address.ts).
 *
 * All but the first three expire. Items are parsed when they are read.
 */
import * as z from "zod/mini";
import { organizationKey } from "../terms/keys.ts";
import { riskLevels } from "../terms/risk-levels.ts";
import { type DeliveryRef, StoredDelivery } from "./delivery.ts";
import { Destination } from "./destination.ts";
import { notifiedChanges, SummarizedAlert } from "./messages/notification.ts";
import { UnrecordedChange } from "./notification-events.ts";
import { Silencing } from "./silencing.ts";

export const DESTINATION_PREFIX = "destination#";

/** The number of an organization's destinations. */
export const COUNT_KEY = "destinations";

/** The prefix of the numbers of confirmation mails; the day follows. */
export const CONFIRMATIONS_KEY = "confirmations#";

/** The prefix of the numbers of mails; the day follows. */
export const MAILS_KEY = "mails#";

/** @param day as in `2026-11-21`. */
export const mailsKey = (organizationId: string, day: string) => ({
  scope: organizationKey(organizationId),
  key: MAILS_KEY + day,
});

/** The sort key of an organization's window of samples. */
export const TESTS_KEY = "tests";

export const testWindowKey = (organizationId: string) => ({
  scope: organizationKey(organizationId),
  key: TESTS_KEY,
});

/** The sort key of an organization's slots of tries under way. */
export const SENDING_KEY = "sending";

export const sendingSlotsKey = (organizationId: string) => ({
  scope: organizationKey(organizationId),
  key: SENDING_KEY,
});

/** @param address a keyed digest. */
export const mailedAddressKey = (address: string) => ({ scope: `address#${address}`, key: "asked" });

export const destinationKey = (organizationId: string, id: string) => ({
  scope: organizationKey(organizationId),
  key: DESTINATION_PREFIX + id,
});

export const DELETED_PREFIX = "deleted#";

export const deletedKey = (organizationId: string, id: string) => ({
  scope: organizationKey(organizationId),
  key: DELETED_PREFIX + id,
});

/** The prefix of the sort keys of a destination's deliveries. */
export const deliveryPrefix = (destinationId: string): string => `delivery#${destinationId}#`;

export const deliveryKey = (organizationId: string, { destinationId, deliveryId }: DeliveryRef) => ({
  scope: organizationKey(organizationId),
  key: deliveryPrefix(destinationId) + deliveryId,
});

export const noticeKey = (organizationId: string, destinationId: string, alertId: string) => ({
  scope: organizationKey(organizationId),
  key: `notice#${destinationId}#${alertId}`,
});

export const stormWindowKey = (organizationId: string, destinationId: string) => ({
  scope: organizationKey(organizationId),
  key: `window#${destinationId}`,
});

/** The prefix of the sort keys of a destination's silencings. */
export const silencedPrefix = (destinationId: string): string => `silenced#${destinationId}#`;

export const silencedKey = (
  organizationId: string,
  { destinationId, eventId }: Pick<Silencing, "destinationId" | "eventId">,
) => ({
  scope: organizationKey(organizationId),
  key: silencedPrefix(destinationId) + eventId,
});

/** The prefix of the sort keys of a bundle's held notifications. */
export const heldPrefix = ({ destinationId, deliveryId }: DeliveryRef): string =>
  `held#${destinationId}#${deliveryId}#`;

export const heldKey = (
  organizationId: string,
  bundle: DeliveryRef,
  { alertId, claim }: { alertId: string; claim: Claim },
) => ({ scope: organizationKey(organizationId), key: `${heldPrefix(bundle)}${alertId}#${claim}` });

/** The prefixes of the sort keys of everything that was or will be sent to a destination. */
export const sentPrefixes = (destinationId: string): string[] => [
  deliveryPrefix(destinationId),
  silencedPrefix(destinationId),
  `notice#${destinationId}#`,
  `held#${destinationId}#`,
  `window#${destinationId}`,
];

/** The alert in the sort key of a notice or of a held notification; undefined for other keys. */
export const alertIdOfKey = (key: string): string | undefined => {
  const [kind, , second, third] = key.split("#");
  if (kind === "notice") return second;
  return kind === "held" ? third : undefined;
};

/**
 * A destination's item. `sealed`: its secrets (destination-secrets.ts), encrypted for the purpose `notification`.
 * `version` changes with each request that changes the destination. `addressId`, of e-mail: changes with the address, so
 * that links in mails to the address before do not count. `confirmationSentAt`: when the last link to confirm was made.
 * `change`: the last change, until its event is recorded. `isSlow`: its last try took long (sending-slots.ts).
 */
export const DestinationItem = z.extend(Destination, {
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  version: z.string(),
  addressId: z.optional(z.string()),
  confirmationSentAt: z.optional(z.number()),
  change: z.optional(UnrecordedChange),
  isSlow: z.optional(z.boolean()),
});
export type DestinationItem = z.output<typeof DestinationItem>;

/** What a destination that is resumed or confirmed lacks. */
export const RESUMED = {
  pausedAt: undefined,
  pausedBecause: undefined,
  failingSince: undefined,
  failingBecause: undefined,
};

const notified = z.optional(z.object({ deliveryId: z.optional(z.string()), revision: z.number() }));

/**
 * By the level that was notified, `unacknowledged` and `resolved`: the delivery that says so, and the revision of the alert in
 * it. An end without a delivery is not notified, because a mute has hidden the raising. A level without one is in the summary
 * of a mute's end, which the worker of the end sends.
 */
const Notified = z.object({
  LOW: notified,
  MEDIUM: notified,
  HIGH: notified,
  CRITICAL: notified,
  unacknowledged: notified,
  resolved: notified,
});

/** `isWithheld`: a mute has withheld the raising, so the alert's end is notified only if the alert was notified since. */
export const NoticeItem = z.extend(Notified, { isWithheld: z.optional(z.boolean()), ttl: z.optional(z.number()) });
export type NoticeItem = z.output<typeof NoticeItem>;

/** What is notified of an alert once: that it has a level, that no user acknowledges it, or that it is resolved. */
export type Claim = keyof z.output<typeof Notified>;

/** All that was claimed of an alert. */
export const claimsOf = (notice: NoticeItem) =>
  Object.values(Notified.parse(notice)).flatMap((claimed) => claimed ?? []);

/** The claims of which one must stand before the end of an alert is notified that a mute has withheld. */
export const claimsBeforeEnd = [...riskLevels, "unacknowledged"] as const satisfies readonly Claim[];

/** Whether the raising, a rise or an escalation of an alert was notified. */
export const isNotified = (notice: NoticeItem): boolean => claimsBeforeEnd.some((claim) => notice[claim] !== undefined);

const ids = z.optional(z.set(z.string()));

/** `startedAt`: epoch ms. The deliveries that took the window's places (decide-hold.ts, `placesOf`); `ids`: LOW and MEDIUM. */
export const StormWindowItem = z.object({ startedAt: z.number(), criticalIds: ids, highIds: ids, ids });
export type StormWindowItem = z.output<typeof StormWindowItem>;

/** A held notification. `at`: when the alert changed so, epoch ms. `entry`: the alert as the summary shows it, as JSON. */
export const HeldItem = z.object({
  change: z.enum(notifiedChanges),
  at: z.number(),
  entry: z.pipe(
    z.string(),
    z.transform((json: string) => SummarizedAlert.parse(JSON.parse(json))),
  ),
});
export type HeldItem = z.output<typeof HeldItem>;

const DeletedItem = z.object({ change: UnrecordedChange });

export const parseDeletedItem = (item: unknown): UnrecordedChange => DeletedItem.parse(item).change;
export const parseDestinationItem = (item: unknown): DestinationItem => DestinationItem.parse(item);
export const parseDeliveryItem = (item: unknown): StoredDelivery => StoredDelivery.parse(item);
export const parseNoticeItem = (item: unknown): NoticeItem => NoticeItem.parse(item);
export const parseStormWindowItem = (item: unknown): StormWindowItem => StormWindowItem.parse(item);
export const parseSilencing = (item: unknown): Silencing => Silencing.parse(item);
export const parseHeldItem = (item: unknown): HeldItem => HeldItem.parse(item);

/** The destination as clients see it. */
export const toDestination = (item: DestinationItem): Destination => Destination.parse(item);
