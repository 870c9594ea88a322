import type { Random } from "../../core/random.ts";
import { generatePerson } from "../seed/people.ts";
import type { Action, OneChange } from "./change-request.ts";
import { type ChangeContext, pickTarget } from "./targets.ts";

/** The weights of random changes. */
const PLANS = {
  update: 20,
  create_customer: 12,
  create_subscription: 8,
  renew_subscription: 16,
  finalize_invoice: 6,
  pay_invoice: 14,
  create_payment: 6,
  succeed_payment: 6,
  fail_payment: 6,
  process_payment: 1,
  cancel_payment: 1,
  void_invoice: 2,
  mark_uncollectible: 1,
  create_invoice: 2,
  refund: 4,
  dispute: 1,
  close_dispute: 1,
  cancel_subscription: 4,
  delete: 2,
} as const satisfies Partial<Record<Action, number>>;

const personFields = (random: Random) => {
  const { name, email } = generatePerson(random);
  return random.weighted({ name: 4, email: 5, delinquent: 1 } as const) === "delinquent"
    ? { delinquent: random.chance(0.5) }
    : { name, email };
};

/** One random change. It is impossible if no suitable object is left. */
export const pickRandomChange = (context: ChangeContext): OneChange & { action: Exclude<Action, "deauthorize"> } => {
  const { random, account } = context;
  const action = random.weighted(PLANS);
  const change = { seed: 0, fields: {}, atPeriodEnd: action === "cancel_subscription" && random.chance(0.4) };
  if (action !== "update") return { ...change, action, accountId: account.account_id };
  const customer = pickTarget(context, { type: "customer" });
  return customer === undefined
    ? { ...change, action: "create_customer" }
    : { ...change, action, id: customer.id, fields: personFields(random) };
};
