import { renderAccount } from "../render/account.ts";
import { renderDeletedCustomer } from "../render/customer.ts";
import { renderObject, type WireObject } from "../render/render-object.ts";
import { renderPrice } from "../render/subscription.ts";
import { offersOf } from "../seed/businesses.ts";
import type { AccountRow } from "../store/account-table.ts";
import { FEED_SECONDS } from "../store/event-table.ts";
import { type PageRequest, UnknownCursorError } from "../store/read-page.ts";
import type { Store } from "../store/store.ts";
import { openRegisteredEndpoints } from "../webhooks/endpoint.ts";
import { type Answer, invalidParameter, missing, refusal } from "./requests/answer.ts";
import { type ListRequest, readListRequest } from "./requests/list-request.ts";
import type { Parameters } from "./requests/parameters.ts";
import { type Resource, resources } from "./requests/resources.ts";
import { listShort } from "./requests/short-list.ts";
import { findEndpoint, renderEndpoint } from "./requests/webhook-endpoints.ts";

/** A request with the key of an account. */
export type AccountRequest = {
  method: string;
  path: string;
  parameters: Parameters;
  account: AccountRow;
  nowSeconds: number;
};

const MAX_TYPES = 20;

/** The path's segments. A badly encoded path matches no route. */
const decodeSegments = (path: string): string[] => {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return [];
  }
};

const unrecognized = ({ method, path }: AccountRequest) =>
  refusal(404, {
    message: `Unrecognized request URL (${method}: ${path}). The simulator has the operations that docs/provider-simulator.md lists.`,
  });

const cursorOr = <T>(list: ListRequest, type: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnknownCursorError)) throw error;
    const { after, before = "" } = list;
    const param = after === undefined ? "ending_before" : "starting_after";
    throw missing({ type, id: after ?? before, param, status: 400 });
  }
};

/** The read operations of the provider's API for one account. */
export const createAccountApi = (store: Store) => {
  const { objects, events, database } = store;
  const endpoints = openRegisteredEndpoints(database);
  const envelope = (url: string, data: readonly WireObject[], hasMore: boolean): Answer => ({
    status: 200,
    body: { object: "list", data, has_more: hasMore, url },
  });

  const listObjects = (request: AccountRequest, resource: Resource): Answer => {
    const { account, parameters } = request;
    const list = readListRequest(parameters);
    const { type, path } = resource;
    const filters = resource.filters(parameters);
    parameters.requireAllRead();
    const customer = filters.find(({ column }) => column === "customer")?.values[0];
    if (customer !== undefined && objects.find(account.id, String(customer)) === undefined)
      throw missing({ type: "customer", id: String(customer), param: "customer", status: 400 });
    const conditions: PageRequest["conditions"] = [
      { column: "type", is: "in", values: [type] },
      { column: "deleted", is: "in", values: [0] },
      ...filters,
    ];
    const page = cursorOr(list, type, () => objects.page({ ...list, account: account.id, conditions }));
    return envelope(`/v1/${path}`, page.objects.map(renderObject), page.hasMore);
  };

  const readObject = (request: AccountRequest, resource: Resource, id: string): Answer => {
    const { account, parameters } = request;
    parameters.requireAllRead();
    const object = objects.find(account.id, id);
    const isGone = object?.deleted === true && object.object !== "customer";
    if (object?.object !== resource.type || isGone)
      throw missing({ type: resource.type, id, param: resource.idParameter, status: 404 });
    if (object.deleted) return { status: 200, body: renderDeletedCustomer(id) };
    return { status: 200, body: renderObject(object) };
  };

  const listEvents = ({ account, parameters, nowSeconds }: AccountRequest): Answer => {
    const list = readListRequest(parameters);
    const [one, types] = [parameters.text("type"), parameters.list("types")];
    const succeeded = parameters.text("delivery_success");
    parameters.requireAllRead();
    if (one !== undefined && types.length > 0)
      throw invalidParameter("type", "You may only specify one of these parameters: type, types.");
    if (types.length > MAX_TYPES)
      throw invalidParameter("types", `You may only specify up to ${MAX_TYPES} event types.`);
    const wanted = one === undefined ? types : [one];
    const conditions: PageRequest["conditions"] = [
      ...(wanted.length > 0 ? [{ column: "type", is: "in", values: wanted } as const] : []),
      ...(succeeded === undefined
        ? []
        : [{ column: "(undelivered = 0)", is: "in", values: [Number(succeeded === "true")] } as const]),
    ];
    const oldest = nowSeconds - FEED_SECONDS;
    const created = { ...list.created, gte: Math.max(list.created.gte ?? 0, oldest) };
    const page = cursorOr(list, "event", () => events.page({ ...list, account: account.id, conditions, created }));
    return envelope("/v1/events", page.objects, page.hasMore);
  };

  const readEvent = ({ account, nowSeconds }: AccountRequest, id: string): Answer => {
    const event = events.find(account.id, id);
    if (event === undefined || Number(event.created) < nowSeconds - FEED_SECONDS)
      throw missing({ type: "event", id, param: "id", status: 404 });
    return { status: 200, body: event };
  };

  /** What the account sells; prices that a client described are not among them. */
  const readPrices = ({ account, parameters }: AccountRequest, id: string | undefined): Answer => {
    const all = offersOf(account.account_id).map((offer) => renderPrice(offer, account.currency));
    if (id === undefined) return listShort(all, parameters, { type: "price", url: "/v1/prices" });
    parameters.requireAllRead();
    const price = all.find((one) => one.id === id);
    if (price === undefined) throw missing({ type: "price", id, param: "price", status: 404 });
    return { status: 200, body: price };
  };

  /** @throws RefusedError as the provider refuses. */
  return (request: AccountRequest): Answer => {
    const [, version, name = "", id, more] = decodeSegments(request.path);
    if (request.method !== "GET" || version !== "v1" || more !== undefined) throw unrecognized(request);
    if (name === "account" && id === undefined) return { status: 200, body: renderAccount(request.account) };
    if (name === "accounts" && id === request.account.account_id)
      return { status: 200, body: renderAccount(request.account) };
    if (name === "events") return id === undefined ? listEvents(request) : readEvent(request, id);
    if (name === "webhook_endpoints") {
      if (id !== undefined)
        return { status: 200, body: renderEndpoint(findEndpoint(endpoints, request.account.id, id)) };
      const all = endpoints.list(request.account.id).map(renderEndpoint);
      return listShort(all, request.parameters, { type: "webhook endpoint", url: "/v1/webhook_endpoints" });
    }
    if (name === "prices") return readPrices(request, id);
    const resource = resources.find(({ path }) => path === name);
    if (resource === undefined) throw unrecognized(request);
    return id === undefined ? listObjects(request, resource) : readObject(request, resource, id);
  };
};
