import type { Random } from "../../core/random.ts";
import { isA, type ObjectOf, type ObjectType } from "../objects/objects.ts";
import type { InvoicePayment } from "../operations/invoices.ts";
import type { Ledger } from "../operations/ledger.ts";
import type { AccountRow } from "../store/account-table.ts";
import type { Store } from "../store/store.ts";
import { ImpossibleChangeError } from "./change-request.ts";

/** The inputs of a change. */
export type ChangeContext = { store: Store; account: AccountRow; ledger: Ledger; random: Random };

type Wanted<Type extends ObjectType> = { type: Type; statuses?: readonly string[] };

/** Any object of that type in one of these states; undefined if no such object exists. */
export const pickTarget = <Type extends ObjectType>(
  { store, account, ledger, random }: ChangeContext,
  { type, statuses }: Wanted<Type>,
): ObjectOf<Type> | undefined => {
  const { first, last } = store.objects.span(account.id, type);
  const narrowed = statuses === undefined ? {} : { statuses };
  // First from a random time on, then from the start.
  const since = first + random.int(last - first + 1);
  const found =
    store.objects.firstSince(account.id, type, { ...narrowed, since }) ??
    store.objects.firstSince(account.id, type, { ...narrowed, since: 0 });
  return found && ledger.find(type, found.id);
};

/**
 * The named object, or any suitable one.
 * @throws ImpossibleChangeError if the object does not exist or is in another state.
 */
export const requireTarget = <Type extends ObjectType>(
  context: ChangeContext,
  id: string | undefined,
  wanted: Wanted<Type>,
): ObjectOf<Type> => {
  const { type, statuses } = wanted;
  const states = statuses === undefined ? "" : ` that is ${statuses.join(" or ")}`;
  if (id === undefined) {
    const picked = pickTarget(context, wanted);
    if (picked === undefined) throw new ImpossibleChangeError(409, `there is no ${type}${states}`);
    return picked;
  }
  const object = context.ledger.find(type, id);
  if (object === undefined || object.deleted) throw new ImpossibleChangeError(404, `there is no ${type} ${id}`);
  if (statuses !== undefined && "status" in object && !statuses.includes(object.status))
    throw new ImpossibleChangeError(409, `${id} is ${object.status}: expected a ${type}${states}`);
  return object;
};

/** The object with this id, or any customer. @throws ImpossibleChangeError */
export const requireAny = (context: ChangeContext, id: string | undefined) => {
  if (id === undefined) return requireTarget(context, id, { type: "customer" });
  const { store, account, ledger } = context;
  const found = store.objects.find(account.id, id);
  const object = found && ledger.find(found.object, found.id);
  if (object === undefined || object.deleted) throw new ImpossibleChangeError(404, `there is no object ${id}`);
  return object;
};

/** The payment of an invoice; undefined if it has none. */
export const paymentOf = (
  { store, account, ledger }: ChangeContext,
  invoice: ObjectOf<"invoice">,
): InvoicePayment | undefined => {
  const intent = ledger.find("payment_intent", invoice.paymentIntent);
  if (intent === undefined) return undefined;
  const conditions = [
    { column: "parent", is: "in", values: [invoice.id] },
    { column: "type", is: "in", values: ["invoice_payment"] },
  ] as const;
  const [link] = store.objects.page({ account: account.id, conditions, created: {}, limit: 1 }).objects;
  return { intent, link: link && ledger.find("invoice_payment", link.id) };
};

/** The subscriptions of a customer that are not over. */
export const subscriptionsOf = (
  { store, account, ledger }: ChangeContext,
  customer: string,
): ObjectOf<"subscription">[] => {
  const conditions = [
    { column: "customer", is: "in", values: [customer] },
    { column: "type", is: "in", values: ["subscription"] },
    { column: "status", is: "not in", values: ["canceled"] },
  ] as const;
  return store.objects
    .page({ account: account.id, conditions, created: {}, limit: 1_000 })
    .objects.filter((object) => isA(object, "subscription"))
    .flatMap(({ id }) => ledger.find("subscription", id) ?? []);
};
