import type { Shape } from "../objects/api-version.ts";
import type { ObjectOf } from "../objects/objects.ts";
import { nestedList } from "./nested-list.ts";

type Subscription = ObjectOf<"subscription">;
type Item = Subscription["items"][number];

/** A recurring price as it is inside items and invoice lines. */
export const renderPrice = (price: Pick<Item, "price" | "product" | "unitAmount" | "interval">, currency: string) => ({
  id: price.price,
  object: "price",
  active: true,
  billing_scheme: "per_unit",
  created: 1_600_000_000,
  currency,
  custom_unit_amount: null,
  livemode: false,
  lookup_key: null,
  metadata: {},
  nickname: null,
  product: price.product,
  recurring: {
    interval: price.interval,
    interval_count: 1,
    meter: null,
    trial_period_days: null,
    usage_type: "licensed",
  },
  tax_behavior: "unspecified",
  tiers_mode: null,
  transform_quantity: null,
  type: "recurring",
  unit_amount: price.unitAmount,
  unit_amount_decimal: String(price.unitAmount),
});

const renderPlan = (item: Item, currency: string) => ({
  id: item.price,
  object: "plan",
  active: true,
  amount: item.unitAmount,
  amount_decimal: String(item.unitAmount),
  billing_scheme: "per_unit",
  created: 1_600_000_000,
  currency,
  interval: item.interval,
  interval_count: 1,
  livemode: false,
  metadata: {},
  nickname: null,
  product: item.product,
  tiers_mode: null,
  transform_usage: null,
  trial_period_days: null,
  usage_type: "licensed",
});

export const renderSubscriptionItem = (item: Item, subscription: Subscription, shape: Shape) => ({
  id: item.id,
  object: "subscription_item",
  billing_thresholds: null,
  created: subscription.created,
  ...(shape === "basil" && {
    current_period_end: subscription.periodEnd,
    current_period_start: subscription.periodStart,
  }),
  discounts: [],
  metadata: {},
  plan: renderPlan(item, subscription.currency),
  price: renderPrice(item, subscription.currency),
  quantity: item.quantity,
  subscription: subscription.id,
  tax_rates: [],
});

export const renderSubscription = (subscription: Subscription, shape: Shape) => ({
  id: subscription.id,
  object: "subscription",
  application: null,
  application_fee_percent: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_cycle_anchor: subscription.trialEnd ?? subscription.created,
  billing_cycle_anchor_config: null,
  billing_thresholds: null,
  cancel_at: subscription.cancelAtPeriodEnd ? subscription.periodEnd : null,
  cancel_at_period_end: subscription.cancelAtPeriodEnd,
  canceled_at: subscription.canceledAt,
  cancellation_details: {
    comment: null,
    feedback: null,
    reason: subscription.canceledAt === null ? null : "cancellation_requested",
  },
  collection_method: subscription.collectionMethod,
  created: subscription.created,
  currency: subscription.currency,
  ...(shape === "legacy" && {
    current_period_end: subscription.periodEnd,
    current_period_start: subscription.periodStart,
  }),
  customer: subscription.customer,
  days_until_due: subscription.collectionMethod === "send_invoice" ? 30 : null,
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  ...(shape === "legacy" && { discount: null }),
  discounts: [],
  ended_at: subscription.endedAt,
  invoice_settings: { account_tax_ids: null, issuer: { type: "self" } },
  items: nestedList(
    subscription.items.map((item) => renderSubscriptionItem(item, subscription, shape)),
    `/v1/subscription_items?subscription=${subscription.id}`,
  ),
  latest_invoice: subscription.latestInvoice,
  livemode: false,
  metadata: {},
  next_pending_invoice_item_invoice: null,
  on_behalf_of: null,
  pause_collection: null,
  payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: "off" },
  pending_invoice_item_interval: null,
  pending_setup_intent: null,
  pending_update: null,
  ...(shape === "legacy" && {
    plan:
      subscription.items.length === 1
        ? subscription.items.map((item) => renderPlan(item, subscription.currency))[0]
        : null,
    quantity: subscription.items.length === 1 ? subscription.items[0]?.quantity : null,
  }),
  schedule: null,
  start_date: subscription.created,
  status: subscription.status,
  test_clock: null,
  transfer_data: null,
  trial_end: subscription.trialEnd,
  trial_settings: { end_behavior: { missing_payment_method: "create_invoice" } },
  trial_start: subscription.trialStart,
});
