import type { RegisteredEndpoint, RegisteredEndpoints } from "../../webhooks/endpoint.ts";
import { missing } from "./answer.ts";

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
