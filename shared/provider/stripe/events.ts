/**
 * An event of the provider → what it tells of our objects. The feed and webhooks carry the same events, in the API
 * version of their time. Pure.
 */
/** An event as a webhook brings it: what the feed says, and whose it is. Pure. */
import * as z from "zod/mini";
import type { Observation, SeenAt } from "../../records/observation.ts";
import type { RecordType } from "../../records/record.ts";
import type { ProviderEvent } from "../provider.ts";
import { deletionSeen, linkOfInvoice, objectSeen, readInvoicePayment } from "./objects.ts";
import { Id, part, reference, Seconds, text } from "./tolerant-schemas.ts";

type Reading = (object: unknown, seenAt: SeenAt) => (Observation | undefined)[];

const stateOf =
  (type: RecordType): Reading =>
  (object, seenAt) => [objectSeen(type, object, seenAt)];

const deletionOf =
  (type: RecordType): Reading =>
  (object, seenAt) => [deletionSeen(type, object, seenAt)];

const invoiceAndLink: Reading = (object, seenAt) => [
  objectSeen("invoices", object, seenAt),
  linkOfInvoice(object, seenAt),
];

const Payee = z.object({ payment_intent: reference });

/** Charges, refunds and disputes change the payment that they belong to; one without is none of our business. */
const paymentTouched: Reading = (object, seenAt) => {
  const id = Payee.safeParse(object).data?.payment_intent ?? null;
  return id === null ? [] : [{ kind: "touched", type: "payments", id, seenAt }];
};

/** Each type's reading, by what it happened to. Types that are not here tell nothing of our objects. */
const readings: ReadonlyMap<string, Reading> = new Map(
  (
    [
      ["customer", "created updated", stateOf("customers")],
      ["customer", "deleted", deletionOf("customers")],
      [
        "customer.subscription",
        // Deleted means cancelled: the object stays.
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
      ["invoice_payment", "paid", (object, seenAt) => [readInvoicePayment(object, seenAt)]],
      [
        "payment_intent",
        "created processing requires_action amount_capturable_updated partially_funded payment_failed succeeded canceled",
        stateOf("payments"),
      ],
      ["charge", "pending succeeded failed captured expired updated refunded refund.updated", paymentTouched],
      ["charge.dispute", "created updated closed funds_withdrawn funds_reinstated", paymentTouched],
      ["refund", "created updated failed", paymentTouched],
    ] as const satisfies [string, string, Reading][]
  ).flatMap(([subject, happenings, reading]) =>
    happenings.split(" ").map((happening): [string, Reading] => [`${subject}.${happening}`, reading]),
  ),
);

const Event = z.object({ id: Id, type: Id, created: Seconds, data: part({ object: z.unknown() }) });

/**
 * Reads an event.
 * @param payload parsed JSON of any kind.
 * @returns undefined where it is no event: without an id, a type or a time.
 */
export const parseProviderEvent = (payload: unknown): ProviderEvent | undefined => {
  const { data: event } = Event.safeParse(payload);
  if (event === undefined) return undefined;
  const { id, type, created, data } = event;
  const observations = readings.get(type)?.(data?.object, { from: created, to: created }) ?? [];
  return {
    id,
    type,
    createdSeconds: created,
    observations: observations.filter((observation) => observation !== undefined),
    isDeauthorization: type === "account.application.deauthorized",
  };
};

const Owned = z.object({ account: text });

/**
 * Reads an event.
 * @param payload parsed JSON of any kind.
 * @returns undefined where it is no event. `accountId` where it names one: an event of a connected account does.
 */
export const parseDeliveredEvent = (payload: unknown): (ProviderEvent & { accountId?: string }) | undefined => {
  const event = parseProviderEvent(payload);
  if (event === undefined) return undefined;
  const { account } = Owned.parse(payload);
  return { ...event, ...(account !== null && { accountId: account }) };
};
