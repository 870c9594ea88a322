/**
 * An event of the provider → observations of our objects. The feed and webhooks carry the same events, in the API
 * version of their time. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import type { Observation, ObservedAt } from "../../records/observation.ts";
import type { RecordType } from "../../records/record.ts";
import { isSetAside, type SetAside } from "../../records/set-aside.ts";
import { isId } from "../../terms/id.ts";
import type { ProviderEvent } from "../provider.ts";
import { moneyEventTypes, readMoney } from "./money.ts";
import {
  parseDeletion,
  parseInvoiceLink,
  parseInvoicePayment,
  parseObject,
  parsePaymentTouch,
  setAsideObject,
} from "./objects.ts";
import { part, Seconds, text } from "./tolerant-schemas.ts";
import { TOLERANCE_SECONDS } from "./verify-signature.ts";

/** `type`: of the object, if the event cannot be read. */
type Reader = {
  type: RecordType;
  read: (object: unknown, observedAt: ObservedAt) => (Observation | SetAside | undefined)[];
};

const stateOf = (type: RecordType): Reader => ({
  type,
  read: (object, observedAt) => [parseObject(type, object, observedAt)],
});

const deletionOf = (type: RecordType): Reader => ({
  type,
  read: (object, observedAt) => [parseDeletion(type, object, observedAt)],
});

const invoiceAndLink: Reader = {
  type: "invoices",
  read: (object, observedAt) => [parseObject("invoices", object, observedAt), parseInvoiceLink(object, observedAt)],
};

const paymentTouched: Reader = {
  type: "payments",
  read: (object, observedAt) => [parsePaymentTouch(object, observedAt)],
};

/** A refund or dispute also changes the payment that it belongs to. */
const stateAndPayment = (type: "refunds" | "disputes"): Reader => ({
  type,
  read: (object, observedAt) => [parseObject(type, object, observedAt), parsePaymentTouch(object, observedAt)],
});

const paymentLinked: Reader = {
  type: "payments",
  read: (object, observedAt) => [parseInvoicePayment(object, observedAt)],
};

/** What each event type is read as: object, events of it, reader. Other types contain no observations. */
const readers: ReadonlyMap<string, Reader> = new Map(
  (
    [
      ["customer", "created updated", stateOf("customers")],
      ["customer", "deleted", deletionOf("customers")],
      [
        "customer.subscription",
        // Here "deleted" means cancelled: the object remains.
        "created updated deleted paused resumed trial_will_end pending_update_applied pending_update_expired",
        stateOf("subscriptions"),
      ],
      [
        "invoice",
        "created updated finalized finalization_failed sent paid payment_succeeded payment_failed " +
          "payment_action_required marked_uncollectible voided overdue overpaid will_be_due",
        invoiceAndLink,
      ],
      ["invoice", "deleted", deletionOf("invoices")],
      ["invoice_payment", "paid", paymentLinked],
      [
        "payment_intent",
        "created processing requires_action amount_capturable_updated partially_funded payment_failed succeeded canceled",
        stateOf("payments"),
      ],
      ["charge", "pending succeeded failed captured expired updated refunded", paymentTouched],
      ["charge.dispute", "created updated closed funds_withdrawn funds_reinstated", stateAndPayment("disputes")],
      ["charge.refund", "updated", stateAndPayment("refunds")],
      ["refund", "created updated failed", stateAndPayment("refunds")],
      ["payout", "created updated paid failed canceled reconciliation_completed", stateOf("payouts")],
    ] as const satisfies [string, string, Reader][]
  ).flatMap(([object, changes, reader]) =>
    changes.split(" ").map((change): [string, Reader] => [`${object}.${change}`, reader]),
  ),
);

/** The event types that the service reads, for an account's own endpoint. */
export const eventTypes: readonly string[] = [...new Set([...readers.keys(), ...moneyEventTypes])];

/** The id, or another one that can be the key of a stored event. Two ids never have the same. */
const storableId = (id: string): string =>
  isId(id) ? id : `event:${createHash("sha256").update(JSON.stringify(id)).digest("base64url")}`;

const MAX_TYPE_CHARACTERS = 255;

const storableType = (type: string): string => type.slice(0, MAX_TYPE_CHARACTERS).toWellFormed();

const nonEmpty = z.string().check(z.minLength(1));

const Event = z.object({ id: z.unknown(), type: nonEmpty, created: z.unknown(), data: part({ object: z.unknown() }) });

/**
 * Parses an event of the feed.
 * @param payload any parsed JSON.
 * @param latestSeconds the latest time that counts as valid, epoch seconds. A later time would count as the newest of the
 *   feed, and hide the events that follow.
 * @returns the object to set aside if the event has no id or no valid time; undefined if such an event, or the payload,
 *   does not concern our records.
 */
export const parseProviderEvent = (payload: unknown, latestSeconds: number): ProviderEvent | SetAside | undefined => {
  const { data: event } = Event.safeParse(payload);
  if (event === undefined) return undefined;
  const reader = readers.get(event.type);
  const object = event.data?.object;
  const { data: id } = nonEmpty.safeParse(event.id);
  const { data: created } = Seconds.safeParse(event.created);
  const isDated = created !== undefined && created <= latestSeconds;
  if (id === undefined || !isDated) return reader && setAsideObject(reader.type, object, isDated ? "event" : "time");
  const read = reader?.read(object, { from: created, to: created }) ?? [];
  const setAside = read.filter(isSetAside);
  const money = readMoney(event.type, object);
  return {
    id: storableId(id),
    type: storableType(event.type),
    createdSeconds: created,
    observations: read.filter((one): one is Observation => one !== undefined && !isSetAside(one)),
    ...(setAside.length > 0 && { setAside }),
    isDeauthorization: event.type === "account.application.deauthorized",
    ...definedFields({ money }),
  };
};

const Delivered = z.object({ id: nonEmpty, type: nonEmpty, account: text });

/**
 * Parses an event that a webhook delivers; those of connected accounts name the account. An event that is set aside as a
 * whole has the time at which it arrived.
 * @param payload any parsed JSON.
 * @param now epoch ms.
 * @returns undefined if the payload is not an event: it has no id or no type.
 */
export const parseDeliveredEvent = (
  payload: unknown,
  now: number,
): (ProviderEvent & { accountId?: string }) | undefined => {
  const { data: delivered } = Delivered.safeParse(payload);
  const nowSeconds = Math.floor(now / 1_000);
  if (delivered === undefined) return undefined;
  const { id, type, account } = delivered;
  const read = parseProviderEvent(payload, nowSeconds + TOLERANCE_SECONDS);
  const undated = { createdSeconds: nowSeconds, observations: [], isDeauthorization: false };
  const event =
    read === undefined || isSetAside(read)
      ? { ...undated, id: storableId(id), type: storableType(type), ...(read && { setAside: [read] }) }
      : read;
  return { ...event, ...definedFields({ accountId: account ?? undefined }) };
};
