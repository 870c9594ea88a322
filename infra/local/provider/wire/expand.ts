import type { Shape } from "../objects/api-version.ts";
import { renderDeletedCustomer } from "../render/customer.ts";
import { renderObject, type WireObject } from "../render/render-object.ts";
import type { ObjectTable } from "../store/object-table.ts";
import { invalidParameter } from "./answer.ts";

type Within = { objects: ObjectTable; account: number; shape: Shape };

const isObject = (value: unknown): value is WireObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const cannot = (path: string) =>
  invalidParameter(
    "expand",
    `This property cannot be expanded (${path}). You may want to try expanding 'data.${path}' instead.`,
  );

const invoicePayments = (invoice: WireObject, { objects, account, shape }: Within) => {
  const conditions = [
    { column: "type", is: "in", values: ["invoice_payment"] },
    { column: "deleted", is: "in", values: [0] },
    { column: "parent", is: "in", values: [String(invoice.id)] },
  ] as const;
  const { objects: found, hasMore } = objects.page({ account, conditions, created: {}, limit: 10 });
  const data = found.map((object) => renderObject(object, shape));
  return { object: "list", data, has_more: hasMore, total_count: data.length, url: "/v1/invoice_payments" };
};

/** Puts the object in place of its id, along the path. */
const expandOne = (object: WireObject, path: readonly string[], within: Within): WireObject => {
  const [name = "", ...rest] = path;
  const { objects, account, shape } = within;
  const value = object.object === "invoice" && name === "payments" ? invoicePayments(object, within) : object[name];
  if (value === undefined) throw cannot(path.join("."));
  const follow = (one: unknown): unknown => (isObject(one) && rest.length > 0 ? expandOne(one, rest, within) : one);
  if (Array.isArray(value)) return { ...object, [name]: value.map(follow) };
  if (typeof value !== "string") return { ...object, [name]: follow(value) };
  const found = objects.find(account, value);
  if (found === undefined) throw cannot(path.join("."));
  const rendered =
    found.deleted && found.object === "customer" ? renderDeletedCustomer(found.id) : renderObject(found, shape);
  return { ...object, [name]: follow(rendered) };
};

/** Expands what `expand[]` asks for. @throws RefusedError for what cannot be. */
export const expandObjects = (
  all: readonly WireObject[],
  expand: readonly string[],
  within: Within & { prefix: string },
): WireObject[] =>
  all.map((one) =>
    expand.reduce((object, path) => {
      if (!path.startsWith(within.prefix)) throw cannot(path);
      return expandOne(object, path.slice(within.prefix.length).split("."), within);
    }, one),
  );
