/** Records of the provider in words. Pure. */
import type { Record as ProviderRecord, RecordType, SubscriptionRecord } from "../../api/types.ts";
import { formatAmount, formatNumber, inWords, type Tone } from "../../words/format.ts";

/** The provider's words that matter most, and how they read. Other words are shown as they are. */
const TONES: Readonly<Record<string, Tone>> = {
  active: "good",
  trialing: "accent",
  paid: "good",
  succeeded: "good",
  past_due: "bad",
  unpaid: "bad",
  uncollectible: "bad",
  requires_payment_method: "bad",
  open: "warn",
  incomplete: "warn",
  processing: "accent",
  requires_action: "warn",
  requires_confirmation: "warn",
  requires_capture: "warn",
  needs_response: "bad",
  warning_needs_response: "warn",
  under_review: "accent",
  won: "good",
  lost: "bad",
  failed: "bad",
  in_transit: "accent",
};

export const toneOf = (status: string): Tone => (Object.hasOwn(TONES, status) ? TONES[status] : undefined) ?? "quiet";

export const statusInWords = (status: string): string => inWords(status);

/** Offered by the filter. Customers have no status. */
const knownStatuses: Readonly<Record<RecordType, readonly string[]>> = {
  customers: [],
  subscriptions: ["active", "trialing", "past_due", "unpaid", "paused", "incomplete", "incomplete_expired", "canceled"],
  invoices: ["draft", "open", "paid", "uncollectible", "void"],
  payments: [
    "succeeded",
    "processing",
    "canceled",
    "requires_payment_method",
    "requires_action",
    "requires_confirmation",
    "requires_capture",
  ],
  refunds: ["pending", "requires_action", "succeeded", "failed", "canceled"],
  disputes: [
    "needs_response",
    "under_review",
    "won",
    "lost",
    "warning_needs_response",
    "warning_under_review",
    "warning_closed",
  ],
  payouts: ["pending", "in_transit", "paid", "failed", "canceled"],
};

/** The filters of a type's list, in addition to the time of change. A filter by a field that the type lacks is refused. */
export const filtersOf: Readonly<Record<RecordType, readonly string[]>> = {
  customers: ["customerId"],
  subscriptions: ["status", "customerId"],
  invoices: ["status", "customerId", "minAmount", "maxAmount", "overdue"],
  payments: ["status", "customerId", "minAmount", "maxAmount"],
  refunds: ["status", "paymentId", "minAmount", "maxAmount"],
  disputes: ["status", "paymentId", "minAmount", "maxAmount"],
  payouts: ["status", "minAmount", "maxAmount"],
};

/** The provider's word for an invoice that is not paid yet is "open". */
const filterWords = (type: RecordType, status: string): string =>
  type === "invoices" && status === "open" ? "Unpaid (open)" : statusInWords(status);

/** @param chosen a status of the address, which may be another word of the provider. */
export const statusOptions = (type: RecordType, chosen: string): readonly (readonly [string, string])[] => [
  ["", "All"],
  ...[...new Set([...knownStatuses[type], ...(chosen === "" ? [] : [chosen])])].map(
    (status) => [status, filterWords(type, status)] as const,
  ),
];

type Item = NonNullable<SubscriptionRecord["items"]>[number];

/** Such as "2 × €10.00 per month". */
export const itemInWords = ({ quantity, unitAmount, interval, priceId }: Item, currency: string | null): string => {
  const price = unitAmount === null ? (priceId ?? "no price") : formatAmount(unitAmount, currency);
  const times = quantity === null || quantity === 1 ? "" : `${formatNumber(quantity)} × `;
  return `${times}${price}${interval === null ? "" : ` per ${interval}`}`;
};

/** What names a record to a reader, beside its id; undefined if it has no name. */
export const nameOf = (record: ProviderRecord): string | undefined => {
  switch (record.type) {
    case "customers":
      return record.name ?? record.email ?? undefined;
    case "invoices":
      return record.number ?? undefined;
    case "payments":
    case "refunds":
    case "disputes":
    case "payouts":
      return record.amount === null ? undefined : formatAmount(record.amount, record.currency);
    case "subscriptions":
      return record.items?.map((item) => itemInWords(item, record.currency)).join(", ") || undefined;
  }
};
