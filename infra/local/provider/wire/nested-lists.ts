import type { Shape } from "../objects/api-version.ts";
import { isA } from "../objects/objects.ts";
import { renderInvoiceLine } from "../render/invoice-line.ts";
import { renderSubscriptionItem } from "../render/subscription.ts";
import type { ObjectTable } from "../store/object-table.ts";
import { type Answer, invalidParameter, missing } from "./answer.ts";
import { type ListRequest, readListRequest } from "./list-request.ts";
import type { Parameters } from "./parameters.ts";

type Nested = { id: string };

/** A page of what an object holds, in its own order. */
const pageOf = (all: readonly Nested[], url: string, { limit, after, before }: ListRequest): Answer => {
  const cursor = after ?? before;
  const at = cursor === undefined ? -1 : all.findIndex(({ id }) => id === cursor);
  if (cursor !== undefined && at < 0) {
    const param = after === undefined ? "ending_before" : "starting_after";
    throw missing({ type: "object", id: cursor, param, status: 400 });
  }
  const rest = before === undefined ? all.slice(at + 1) : all.slice(0, at);
  const data = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return { status: 200, body: { object: "list", data, has_more: rest.length > limit, url } };
};

type Request = { objects: ObjectTable; account: number; parameters: Parameters; shape: Shape };

/** The items of a subscription, which show ten of them at most. */
export const listSubscriptionItems = ({ objects, account, parameters, shape }: Request): Answer => {
  const list = readListRequest(parameters);
  const id = parameters.text("subscription");
  parameters.requireAllRead();
  if (id === undefined)
    throw invalidParameter("subscription", "Missing required param: subscription.", "parameter_missing");
  const found = objects.find(account, id);
  if (found === undefined || !isA(found, "subscription"))
    throw missing({ type: "subscription", id, param: "subscription", status: 400 });
  const items = found.items.map((item) => renderSubscriptionItem(item, found, shape));
  return pageOf(items, "/v1/subscription_items", list);
};

/** The lines of an invoice, which shows ten of them at most. */
export const listInvoiceLines = ({ objects, account, parameters, shape }: Request, id: string): Answer => {
  const list = readListRequest(parameters);
  parameters.requireAllRead();
  const found = objects.find(account, id);
  if (found === undefined || found.deleted || !isA(found, "invoice"))
    throw missing({ type: "invoice", id, param: "invoice", status: 404 });
  const lines = found.lines.map((line) => renderInvoiceLine(line, found, shape));
  return pageOf(lines, `/v1/invoices/${id}/lines`, list);
};
