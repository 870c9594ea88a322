/**
 * Deliveries: one notification to one destination, with all tries to send it. Pure. docs/notifications.md, "Deliveries".
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { notificationTypes, summaryReasons } from "./messages/notification.ts";
import { FormerDestination } from "./silencing.ts";

const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** Deliveries are kept for this time. */
export const DELIVERY_LIFE_MS = 30 * 24 * 3_600_000;

/** A delivery shows at most this many tries, the newest. */
export const MAX_ATTEMPTS = 20;

/** A text of an answer has at most this many characters. */
export const MAX_ANSWER_CHARACTERS = 256;

const described = (description: string) => z.string().register(z.globalRegistry, { description });

const DeliveryAttempt = z
  .object({
    at: epochMs("when the try began."),
    latencyMs: count("How long the try took."),
    status: z.optional(count("The HTTP status of the answer; absent if there was no answer.")),
    error: z.optional(described("Why the try failed.")),
    answer: z.optional(described(`The first ${MAX_ANSWER_CHARACTERS} characters of the answer, redacted.`)),
  })
  .register(z.globalRegistry, { id: "DeliveryAttempt", description: "One try to send a delivery." });
export type DeliveryAttempt = z.output<typeof DeliveryAttempt>;

export const NotificationDelivery = z
  .object({
    id: described("The id of the destination, a dot, and the id of the delivery."),
    type: z.enum(notificationTypes),
    status: z.enum(deliveryStatuses).register(z.globalRegistry, {
      description: "`pending`: to be sent, perhaps again after a failure. `failed`: given up; it can be retried.",
    }),
    createdAt: epochMs(),
    notBefore: z.optional(epochMs("a pending delivery is not sent before: the next try, or the end of a summary.")),
    endedAt: z.optional(epochMs("when it was delivered or given up.")),
    error: z.optional(described("Why it was given up.")),
    alertId: z.optional(described("The alert that it is about, if it is about one.")),
    requestedBy: z.optional(described("The user who asked for the test or the last retry.")),
    attempts: z.array(DeliveryAttempt),
  })
  .register(z.globalRegistry, {
    id: "NotificationDelivery",
    description: "A notification to one destination, with its tries, oldest first. It is kept for 30 days.",
  });
export type NotificationDelivery = z.output<typeof NotificationDelivery>;

/** A destination and one of its deliveries. */
export type DeliveryRef = { destinationId: string; deliveryId: string };

/** The id of a delivery in the API. */
export const publicDeliveryId = ({ destinationId, deliveryId }: DeliveryRef): string =>
  `${destinationId}.${deliveryId}`;

const ID = /^([0-9A-HJKMNP-TV-Z]{26})\.([0-9A-HJKMNP-TV-Z]{26})$/;

/** What an id in the API names; undefined if the text is not such an id. */
export const parsePublicDeliveryId = (id: string): DeliveryRef | undefined => {
  const [, destinationId, deliveryId] = ID.exec(id) ?? [];
  return destinationId === undefined || deliveryId === undefined ? undefined : { destinationId, deliveryId };
};

/**
 * The body of a message in the queue of deliveries to send. Two are about no delivery: `isWatch` about a change of the
 * destination that must be recorded (silencing.ts), `escalates` about an alert that may have to go to another destination
 * (escalation.ts; `dueAt` in epoch ms).
 */
export const DeliveryMessage = z.object({
  organizationId: z.string(),
  destinationId: z.string(),
  deliveryId: z.string(),
  isWatch: z.optional(z.boolean()),
  escalates: z.optional(z.object({ alertId: z.string(), to: z.string(), dueAt: z.number() })),
});
export type DeliveryMessage = z.output<typeof DeliveryMessage>;

/** A summary that collects notifications until `notBefore`. `from`: epoch ms. */
export const Bundle = z.object({ reason: z.enum(summaryReasons), from: z.number() });
export type Bundle = z.output<typeof Bundle>;

/**
 * A delivery as it is stored; times are epoch ms. `notification` is the JSON text of a Notification; a bundle gets it
 * when it begins to be sent (`begunAt`), and from then on holds nothing more. `tries` counts the failed ones since the delivery was created or retried.
 * `waits`: how often it found no free slot since its last try (sending-slots.ts).
 * `leaseUntil` and `leaseToken`: an instance sends it. `retryId`: the request that retried it last; `isRetryUnsent`: the
 * queue may not have the retry's message yet. `former`: it goes to the destination as it was; removed at the end. `isQueued`, of a bundle: the queue has its message.
 */
export const StoredDelivery = z.object({
  destinationId: z.string(),
  deliveryId: z.string(),
  type: z.enum(notificationTypes),
  status: z.enum(deliveryStatuses),
  createdAt: z.number(),
  notification: z.optional(z.string()),
  bundle: z.optional(Bundle),
  begunAt: z.optional(z.number()),
  notBefore: z.optional(z.number()),
  attempts: z._default(z.array(DeliveryAttempt), []),
  tries: z._default(z.number(), 0),
  waits: z.optional(z.number()),
  leaseUntil: z.optional(z.number()),
  leaseToken: z.optional(z.string()),
  endedAt: z.optional(z.number()),
  error: z.optional(z.string()),
  alertId: z.optional(z.string()),
  requestedBy: z.optional(z.string()),
  retryId: z.optional(z.string()),
  isRetryUnsent: z.optional(z.boolean()),
  isQueued: z.optional(z.boolean()),
  former: z.optional(FormerDestination),
  ttl: z.number(),
});
export type StoredDelivery = z.output<typeof StoredDelivery>;

/** When what was stored at a time expires, epoch seconds. @param at epoch ms. */
export const expiryAfter = (at: number): number => Math.ceil((at + DELIVERY_LIFE_MS) / 1_000);

/** A delivery that is not tried yet. */
export const newDelivery = <Fields extends Partial<StoredDelivery> & Pick<StoredDelivery, "type" | "createdAt">>(
  { destinationId, deliveryId }: DeliveryRef,
  fields: Fields,
) => ({
  destinationId,
  deliveryId,
  status: "pending" as const,
  attempts: [],
  tries: 0,
  ttl: expiryAfter(fields.createdAt),
  ...fields,
});

/** The delivery as clients see it. */
export const toNotificationDelivery = (stored: StoredDelivery): NotificationDelivery => {
  const { type, status, createdAt, notBefore, endedAt, error, alertId, requestedBy, attempts } = stored;
  return {
    id: publicDeliveryId(stored),
    type,
    status,
    createdAt,
    ...definedFields({ notBefore: status === "pending" ? notBefore : undefined, endedAt, error, alertId, requestedBy }),
    attempts: attempts.slice(-MAX_ATTEMPTS),
  };
};
