import * as z from "zod";

/** The changes that an account's objects support. */
export const actions = [
  "create_customer",
  "create_subscription",
  "create_invoice",
  "create_payment",
  "update",
  "delete",
  "finalize_invoice",
  "pay_invoice",
  "void_invoice",
  "mark_uncollectible",
  "succeed_payment",
  "fail_payment",
  "process_payment",
  "cancel_payment",
  "refund",
  "dispute",
  "close_dispute",
  "fail_refund",
  "early_fraud_warning",
  "test_cards",
  "create_payout",
  "pay_payout",
  "fail_payout",
  "renew_subscription",
  "cancel_subscription",
  "deauthorize",
] as const;
export type Action = (typeof actions)[number];

const common = {
  /** By default the demo account. */
  accountId: z.string().optional(),
  /** The same seed and state make the same random choices. */
  seed: z.int().default(0),
};

const OneChange = z.strictObject({
  ...common,
  action: z.enum(actions),
  /** The object of the change; for `create_…` the customer. By default any suitable object. */
  id: z.string().optional(),
  /** For `update` and `create_customer`: attributes as the simulator names them, see objects/. */
  fields: z.record(z.string(), z.json()).default({}),
  /** In the currency's minor unit, for `create_invoice`, `create_payment`, `create_payout` and `refund`. */
  amount: z.int().min(1).optional(),
  /** For `fail_payment`, `fail_refund` and `fail_payout`. */
  failureCode: z.string().min(1).optional(),
  /** For `cancel_subscription`: with the period rather than at once. */
  atPeriodEnd: z.boolean().default(false),
});

const RandomChanges = z.strictObject({ ...common, count: z.int().min(1).max(10_000) });

/** One named change, or a number of random changes as in the daily operation of a business. */
export const ChangeRequest = z.union([OneChange, RandomChanges], {
  error: `expected {"count": …}, or {"action": …, …} of the actions ${actions.join(", ")}`,
});
export type OneChange = z.output<typeof OneChange>;
export type ChangeRequest = z.output<typeof ChangeRequest>;

/** A change that cannot be made: `status` is 404 if there is no such object, 409 if its state forbids the change. */
export class ImpossibleChangeError extends Error {
  readonly status: 400 | 404 | 409;

  constructor(status: 400 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}
