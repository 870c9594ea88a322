/** Where the console shows what a search found. Pure. docs/search.md. */
import type { SearchResult } from "../api/types.ts";
import {
  addressBelow,
  addressOf,
  alertAddress,
  callerAddress,
  destinationAddress,
  eventAddress,
} from "../words/address.ts";
import { recordAddress } from "../words/record-types.ts";

type Kind = SearchResult["kind"];

export const kindNames: Readonly<Record<Kind, string>> = {
  event: "Event",
  alert: "Alert",
  run: "Sync",
  webhook: "Webhook",
  delivery: "Delivery of a notification",
  customer: "Customer",
  subscription: "Subscription",
  invoice: "Invoice",
  payment: "Payment",
  refund: "Refund",
  dispute: "Dispute",
  payout: "Payout",
  user: "User",
  address: "Address",
};

/** The API's address of a delivery names its destination, whose page lists the deliveries. */
const destinationOf = (href: string): string => /\/notifications\/([^/]+)\/deliveries$/.exec(href)?.[1] ?? "";

const addresses: Readonly<Record<Kind, (result: SearchResult) => string>> = {
  event: ({ id }) => eventAddress(id),
  alert: ({ id }) => alertAddress(id),
  run: ({ id }) => addressOf("/console/syncs", { run: id }),
  webhook: () => "/console/webhooks",
  delivery: ({ href }) => destinationAddress(destinationOf(href)),
  customer: ({ id }) => recordAddress("customers", id),
  subscription: ({ id }) => recordAddress("subscriptions", id),
  invoice: ({ id }) => recordAddress("invoices", id),
  payment: ({ id }) => recordAddress("payments", id),
  refund: ({ id }) => recordAddress("refunds", id),
  dispute: ({ id }) => recordAddress("disputes", id),
  payout: ({ id }) => recordAddress("payouts", id),
  user: ({ id }) => callerAddress({ userId: id }),
  address: ({ id }) => callerAddress({ ipAddress: id }),
};

/** A kind of a later version of the service leads to the overview. */
export const resultAddress = (result: SearchResult): string =>
  Object.hasOwn(addresses, result.kind) ? addresses[result.kind](result) : addressBelow("/console", "");

/** The API searches for texts of this length. */
const LEAST_CHARACTERS = 2;
export const MOST_CHARACTERS = 128;

/** The text that is searched for; undefined if it is too short. */
export const queryOf = (typed: string): string | undefined => {
  const text = typed.trim();
  return [...text].length < LEAST_CHARACTERS ? undefined : text;
};
