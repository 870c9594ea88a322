/**
 * An event of the provider → observations of our objects. The feed and webhooks carry the same events, in the API
 * version of their time. Pure.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import type { Observation, ObservedAt } from "../../records/observation.ts";
import type { RecordType } from "../../records/record.ts";
import type { ProviderEvent } from "../provider.ts";
import { parseDeletion, parseInvoiceLink, parseInvoicePayment, parseObject } from "./objects.ts";
import { Id, part, reference, Seconds, text } from "./tolerant-schemas.ts";

type ReadObservations = (object: unknown, observedAt: ObservedAt) => (Observation | undefined)[];

const stateOf =
  (type: RecordType): ReadObservations =>
  (object, observedAt) => [parseObject(type, object, observedAt)];

const deletionOf =
  (type: RecordType): ReadObservations =>
  (object, observedAt) => [parseDeletion(type, object, observedAt)];

const invoiceAndLink: ReadObservations = (object, observedAt) => [
  parseObject("invoices", object, observedAt),
  parseInvoiceLink(object, observedAt),
];

const Payee = z.object({ payment_intent: reference });

/** Charges, refunds and disputes change the payment that they belong to. Without a payment they are ignored. */
const paymentTouched: ReadObservations = (object, observedAt) => {
  const id = Payee.safeParse(object).data?.payment_intent ?? null;
  return id === null ? [] : [{ kind: "touched", type: "payments", id, observedAt }];
};

/** What each event type is read as: object, events of it, reader. Other types contain no observations. */
const readers: ReadonlyMap<string, ReadObservations> = new Map(
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
      ["invoice_payment", "paid", (object, observedAt) => [parseInvoicePayment(object, observedAt)]],
      [
        "payment_intent",
        "created processing requires_action amount_capturable_updated partially_funded payment_failed succeeded canceled",
        stateOf("payments"),
      ],
      ["charge", "pending succeeded failed captured expired updated refunded refund.updated", paymentTouched],
      ["charge.dispute", "created updated closed funds_withdrawn funds_reinstated", paymentTouched],
      ["refund", "created updated failed", paymentTouched],
    ] as const satisfies [string, string, ReadObservations][]
  ).flatMap(([object, changes, reader]) =>
    changes.split(" ").map((change): [string, ReadObservations] => [`${object}.${change}`, reader]),
  ),
);

/** The event types that the service reads, for an account's own endpoint. */
export const eventTypes: readonly string[] = [...readers.keys()];

const Event = z.object({ id: Id, type: Id, created: Seconds, data: part({ object: z.unknown() }) });

/**
 * Parses an event of the feed.
 * @param payload any parsed JSON.
 * @returns undefined if the payload has no id, type or time.
 */
export const parseProviderEvent = (payload: unknown): ProviderEvent | undefined => {
  const { data: event } = Event.safeParse(payload);
  if (event === undefined) return undefined;
  const { id, type, created, data } = event;
  const observations = readers.get(type)?.(data?.object, { from: created, to: created }) ?? [];
  return {
    id,
    type,
    createdSeconds: created,
    observations: observations.filter((observation) => observation !== undefined),
    isDeauthorization: type === "account.application.deauthorized",
  };
};

const Delivered = z.object({ account: text });

/**
 * Parses an event that a webhook delivers; those of connected accounts name the account.
 * @param payload any parsed JSON.
 * @returns undefined if the payload is not an event.
 */
export const parseDeliveredEvent = (payload: unknown): (ProviderEvent & { accountId?: string }) | undefined => {
  const event = parseProviderEvent(payload);
  if (event === undefined) return undefined;
  const { account } = Delivered.parse(payload);
  return { ...event, ...definedFields({ accountId: account ?? undefined }) };
};
