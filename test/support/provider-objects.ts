import Stripe from "stripe";
import type { ServiceUnderTest } from "./service.ts";

/** The provider's official SDK for an account of the simulator. */
export const providerSdk = ({ stack }: Pick<ServiceUnderTest, "stack">, apiKey: string): Stripe => {
  const { hostname: host, port } = new URL(stack.providerUrl);
  return new Stripe(apiKey, { host, port, protocol: "http" });
};

/** The objects of a simulator's account, read with the provider's official SDK. */
export const providerObjects = (service: Pick<ServiceUnderTest, "stack">, apiKey: string) => {
  const stripe = providerSdk(service, apiKey);
  const all = { limit: 100 };

  return {
    /** Per type and id: the fields that may change and that records also have. */
    async state(): Promise<Record<string, Record<string, unknown>>> {
      const [customers, subscriptions, invoices, payments] = await Promise.all([
        stripe.customers.list(all).autoPagingToArray({ limit: 10_000 }),
        stripe.subscriptions.list({ ...all, status: "all" }).autoPagingToArray({ limit: 10_000 }),
        stripe.invoices.list(all).autoPagingToArray({ limit: 10_000 }),
        stripe.paymentIntents.list(all).autoPagingToArray({ limit: 10_000 }),
      ]);
      return {
        customers: Object.fromEntries(customers.map(({ id, name, email }) => [id, { name, email }])),
        subscriptions: Object.fromEntries(
          subscriptions.map(({ id, status, cancel_at_period_end }) => [
            id,
            { status, cancelAtPeriodEnd: cancel_at_period_end },
          ]),
        ),
        invoices: Object.fromEntries(
          invoices.map(({ id, status, amount_due, amount_paid }) => [
            id,
            { status, amountDue: amount_due, amountPaid: amount_paid },
          ]),
        ),
        payments: Object.fromEntries(
          payments.map(({ id, status, amount, amount_received }) => [
            id,
            { status, amount, amountReceived: amount_received },
          ]),
        ),
      };
    },

    /** The feed, newest first, each event as its JSON. */
    async events(): Promise<(Stripe.Event & { id: string })[]> {
      return stripe.events.list(all).autoPagingToArray({ limit: 10_000 });
    },
  };
};

type Record_ = { id: string; deleted: boolean } & Record<string, unknown>;

const COMPARED: Record<string, readonly string[]> = {
  customers: ["name", "email"],
  subscriptions: ["status", "cancelAtPeriodEnd"],
  invoices: ["status", "amountDue", "amountPaid"],
  payments: ["status", "amount", "amountReceived"],
};

/** The same fields as `state`, of all records that are not deleted. */
export const recordedState = async (records: (type: string) => Promise<readonly Record_[]>) => {
  const entries = Object.entries(COMPARED).map(async ([type, names]) => {
    const kept = (await records(type)).filter(({ deleted }) => !deleted);
    const pick = (record: Record_) => Object.fromEntries(names.map((name) => [name, record[name]]));
    return [type, Object.fromEntries(kept.map((record) => [record.id, pick(record)]))];
  });
  return Object.fromEntries(await Promise.all(entries));
};
