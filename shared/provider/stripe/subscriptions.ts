/**
 * A subscription as the provider gives it → its fields. Nothing else of it is read. Pure.
 *
 * Its period stands in the subscription itself (before 2025-03-31) or in each of its items. Items may have periods of
 * their own; then the subscription's is what they cover together: from the earliest start to the latest end.
 * A list inside an object is cut at ten by the provider: of a subscription with more items the first ten are known.
 */
import * as z from "zod/mini";
import { flag, integer, listOf, part, reference, text, time } from "./tolerant.ts";

const Subscription = z.object({
  status: text,
  customer: reference,
  currency: text,
  cancel_at_period_end: flag,
  canceled_at: time,
  current_period_start: time,
  current_period_end: time,
  items: listOf({
    price: part({ id: text, unit_amount: integer, recurring: part({ interval: text }) }),
    // What a price was called before there were prices; old events have nothing else.
    plan: part({ id: text, amount: integer, interval: text }),
    quantity: integer,
    current_period_start: time,
    current_period_end: time,
  }),
});

const known = (times: (number | null)[] | undefined): number[] => (times ?? []).filter((one) => one !== null);
const earliest = (times: number[]): number | null => (times.length === 0 ? null : Math.min(...times));
const latest = (times: number[]): number | null => (times.length === 0 ? null : Math.max(...times));

/** @throws ZodError where it is no object at all. */
export const readSubscription = (object: unknown) => {
  const { items, ...said } = Subscription.parse(object);
  const starts = known(items?.map((item) => item.current_period_start));
  const ends = known(items?.map((item) => item.current_period_end));
  return {
    type: "subscriptions",
    fields: {
      status: said.status,
      customerId: said.customer,
      currency: said.currency,
      items:
        items?.map(({ price, plan, quantity }) => ({
          priceId: price?.id ?? plan?.id ?? null,
          quantity,
          unitAmount: price === null ? (plan?.amount ?? null) : price.unit_amount,
          interval: price?.recurring?.interval ?? plan?.interval ?? null,
        })) ?? null,
      currentPeriodStart: said.current_period_start ?? earliest(starts),
      currentPeriodEnd: said.current_period_end ?? latest(ends),
      cancelAtPeriodEnd: said.cancel_at_period_end,
      canceledAt: said.canceled_at,
    },
  } as const;
};
