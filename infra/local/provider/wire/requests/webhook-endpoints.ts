import type { RegisteredEndpoint, RegisteredEndpoints } from "../../webhooks/endpoint.ts";
import { type Answer, missing } from "./answer.ts";
import { readListRequest } from "./list-request.ts";
import type { Parameters } from "./parameters.ts";

/** A registered endpoint on the wire, without its secret. */
export const renderEndpoint = ({ id, created, apiVersion, description, metadata, endpoint }: RegisteredEndpoint) => ({
  id,
  object: "webhook_endpoint",
  api_version: apiVersion,
  application: null,
  created,
  description,
  enabled_events: endpoint.enabledEvents,
  livemode: false,
  metadata,
  status: endpoint.disabled ? "disabled" : "enabled",
  url: endpoint.url,
});

/** @throws RefusedError 404 if the account has no such endpoint. */
export const findEndpoint = (endpoints: RegisteredEndpoints, account: number, id: string): RegisteredEndpoint => {
  const found = endpoints.list(account).find((one) => one.id === id);
  if (found === undefined) throw missing({ type: "webhook endpoint", id, param: "webhook_endpoint", status: 404 });
  return found;
};

/** A page of an account's endpoints, newest first. */
export const listEndpoints = (endpoints: RegisteredEndpoints, account: number, parameters: Parameters): Answer => {
  const { limit, after } = readListRequest(parameters);
  parameters.requireAllRead();
  const all = endpoints.list(account);
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0)
    throw missing({ type: "webhook endpoint", id: after, param: "starting_after", status: 400 });
  const data = all.slice(start, start + limit).map(renderEndpoint);
  const hasMore = all.length > start + limit;
  return { status: 200, body: { object: "list", data, has_more: hasMore, url: "/v1/webhook_endpoints" } };
};
