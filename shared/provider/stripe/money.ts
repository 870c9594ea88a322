/** The money that an event of the provider is about. Events of charges repeat these and are not counted. Pure. */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import type { MoneyFact } from "../money-fact.ts";
import { integer, part, reference, text } from "./tolerant-schemas.ts";

const kinds: ReadonlyMap<string, MoneyFact["kind"]> = new Map([
  ["payment_intent.succeeded", "succeeded"],
  ["payment_intent.payment_failed", "failed"],
  ["refund.created", "refund"],
  ["charge.dispute.created", "dispute"],
  ["radar.early_fraud_warning.created", "warning"],
  ["payout.created", "payout"],
]);

/** The event types that are counted. */
export const moneyEventTypes: readonly string[] = [...kinds.keys()];

const MoneyObject = z.object({
  id: reference,
  amount: integer,
  currency: text,
  payment_intent: reference,
  charge: reference,
  last_payment_error: part({ code: text }),
});

const isPayment = (kind: MoneyFact["kind"]): boolean => kind === "succeeded" || kind === "failed";

/** @returns undefined for an event that is not counted. */
export const readMoney = (type: string, object: unknown): MoneyFact | undefined => {
  const kind = kinds.get(type);
  if (kind === undefined) return undefined;
  const { data } = MoneyObject.safeParse(object);
  const payment = isPayment(kind) ? data?.id : (data?.payment_intent ?? data?.charge);
  return {
    kind,
    ...definedFields({
      payment: payment ?? undefined,
      amount: data?.amount ?? undefined,
      currency: data?.currency ?? undefined,
      failureCode: kind === "failed" ? (data?.last_payment_error?.code ?? undefined) : undefined,
    }),
  };
};
