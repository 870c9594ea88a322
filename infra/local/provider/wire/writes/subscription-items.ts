import * as z from "zod";
import type { ChangeContext } from "../../changes/targets.ts";
import type { ObjectOf } from "../../objects/objects.ts";
import { offersOf } from "../../seed/businesses.ts";
import { invalidParameter, missing } from "../requests/answer.ts";
import { amount, boolean, currency, integer, list, oneOf, text } from "./fields.ts";

type Item = ObjectOf<"subscription">["items"][number];
type Price = Pick<Item, "price" | "product" | "unitAmount" | "interval">;

const quantity = integer({ min: 0, max: 999_999 }).optional();
const PriceData = z.strictObject({
  currency: currency(),
  product: text(),
  unit_amount: amount(),
  recurring: z.strictObject({ interval: oneOf(["month", "year"]) }),
});
const priced = { price: text().optional(), price_data: PriceData.optional(), quantity };

/** The items of a new subscription. */
export const newItems = () => list(z.strictObject(priced));
/** Changes of a subscription's items: one with an `id` is changed or deleted, any other is added. */
export const changedItems = () =>
  list(z.strictObject({ id: text().optional(), deleted: boolean().optional(), ...priced }));

type Given = { price?: string | undefined; price_data?: z.output<typeof PriceData> | undefined };

/** The price that an item names or describes; undefined if it has none. @throws RefusedError */
const priceOf = ({ account, ledger }: ChangeContext, given: Given, param: string): Price | undefined => {
  const { price: id, price_data: data } = given;
  if (id !== undefined && data !== undefined)
    throw invalidParameter(param, "You may only specify one of these parameters: price, price_data.");
  if (id !== undefined) {
    const offer = offersOf(account.account_id).find(({ price }) => price === id);
    if (offer === undefined) throw missing({ type: "price", id, param: `${param}[price]`, status: 400 });
    return offer;
  }
  if (data === undefined) return undefined;
  if (data.currency !== account.currency)
    throw invalidParameter(
      `${param}[price_data][currency]`,
      `The simulator's accounts have one currency: expected '${account.currency}'.`,
    );
  const { product, unit_amount: unitAmount, recurring } = data;
  return { price: ledger.newId("price_1", 23), product, unitAmount, interval: recurring.interval };
};

const requirePrice = (context: ChangeContext, given: Given, param: string): Price => {
  const price = priceOf(context, given, param);
  if (price === undefined)
    throw invalidParameter(`${param}[price]`, `Missing required param: ${param}[price].`, "parameter_missing");
  return price;
};

const requireOneInterval = <Listed extends Pick<Item, "interval">>(items: Listed[]): Listed[] => {
  if (new Set(items.map(({ interval }) => interval)).size > 1)
    throw invalidParameter("items", "Currency and interval fields must match across all prices of a subscription.");
  return items;
};

/** @throws RefusedError that names the item that is wrong. */
export const createItems = (context: ChangeContext, given: z.output<ReturnType<typeof newItems>>) =>
  requireOneInterval(
    given.map((item, index) => ({
      ...requirePrice(context, item, `items[${index}]`),
      quantity: item.quantity ?? 1,
    })),
  );

/** The items after an update. @throws RefusedError that names the item that is wrong. */
export const updateItems = (
  context: ChangeContext,
  before: readonly Item[],
  given: z.output<ReturnType<typeof changedItems>>,
): Item[] => {
  let items = [...before];
  for (const [index, { id, deleted, quantity: wanted, ...price }] of given.entries()) {
    const param = `items[${index}]`;
    const count = wanted === undefined ? {} : { quantity: wanted };
    if (id === undefined) {
      const added = { quantity: 1, ...requirePrice(context, price, param), ...count };
      items.push({ ...added, id: context.ledger.newId("si_", 14) });
      continue;
    }
    if (!items.some((item) => item.id === id))
      throw missing({ type: "subscription_item", id, param: `${param}[id]`, status: 400 });
    if (deleted === true) items = items.filter((item) => item.id !== id);
    else {
      const patch = { ...priceOf(context, price, param), ...count };
      items = items.map((item) => (item.id === id ? { ...item, ...patch } : item));
    }
  }
  if (items.length === 0) throw invalidParameter("items", "A subscription must have at least one active plan.");
  return requireOneInterval(items);
};
