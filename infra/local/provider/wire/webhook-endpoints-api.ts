import { randomBytes } from "node:crypto";
import type { AccountRow } from "../store/account-table.ts";
import { Endpoint, type RegisteredEndpoint, type RegisteredEndpoints } from "../webhooks/endpoint.ts";
import { type Answer, invalidParameter, missing, refusal } from "./answer.ts";
import { readListRequest } from "./list-request.ts";
import type { Parameters } from "./parameters.ts";

const PATH = "/v1/webhook_endpoints";

/** The most endpoints of an account: https://docs.stripe.com/webhooks */
const MAX_ENDPOINTS = 16;

export type EndpointRequest = {
  method: string;
  path: string;
  parameters: Parameters;
  account: AccountRow;
  nowSeconds: number;
  idempotencyKey: string | undefined;
};

const render = ({ id, created, apiVersion, description, metadata, endpoint }: RegisteredEndpoint) => ({
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

/** The answer to a creation is the only one with the secret. */
const renderNew = (registered: RegisteredEndpoint): Answer => ({
  status: 200,
  body: { ...render(registered), secret: registered.endpoint.secrets[0] },
});

/** The webhook endpoints that a key creates, lists, reads and deletes. Undefined for other paths. */
export const createWebhookEndpointsApi = (endpoints: RegisteredEndpoints) => {
  const create = (request: EndpointRequest): Answer => {
    const { account, parameters, nowSeconds, idempotencyKey } = request;
    const repeated = idempotencyKey && endpoints.list(account.id).find((one) => one.idempotencyKey === idempotencyKey);
    if (repeated) return renderNew(repeated);
    const url = parameters.text("url");
    const enabledEvents = parameters.list("enabled_events");
    const apiVersion = parameters.text("api_version") ?? null;
    const description = parameters.text("description") ?? null;
    parameters.requireAllRead();
    if (url === undefined) throw invalidParameter("url", "Missing required param: url.", "parameter_missing");
    if (enabledEvents.length === 0)
      throw invalidParameter("enabled_events", "Missing required param: enabled_events.", "parameter_missing");
    const endpoint = Endpoint.safeParse({ url, enabledEvents, secrets: [`whsec_${randomBytes(16).toString("hex")}`] });
    if (!endpoint.success) throw invalidParameter("url", "Invalid URL: must be an HTTP or HTTPS URL", "url_invalid");
    if (endpoints.list(account.id).length >= MAX_ENDPOINTS)
      throw refusal(400, { message: `You have reached the maximum of ${MAX_ENDPOINTS} test webhook endpoints.` });
    const registered: RegisteredEndpoint = {
      ...{ id: `we_1${randomBytes(12).toString("hex")}`, created: nowSeconds, apiVersion, description, metadata: {} },
      ...{ endpoint: endpoint.data, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    };
    endpoints.set(account.id, registered);
    return renderNew(registered);
  };

  const list = ({ account, parameters }: EndpointRequest): Answer => {
    const { limit } = readListRequest(parameters);
    parameters.requireAllRead();
    const all = endpoints.list(account.id);
    return {
      status: 200,
      body: { object: "list", data: all.slice(0, limit).map(render), has_more: all.length > limit, url: PATH },
    };
  };

  /** @throws RefusedError as the provider refuses. */
  return (request: EndpointRequest): Answer | undefined => {
    const { method, path, account } = request;
    if (path === PATH && method === "POST") return create(request);
    if (path === PATH && method === "GET") return list(request);
    if (!path.startsWith(`${PATH}/`) || !["GET", "DELETE"].includes(method)) return undefined;
    const id = decodeURIComponent(path.slice(PATH.length + 1));
    const found = endpoints.list(account.id).find((one) => one.id === id);
    if (found === undefined) throw missing({ type: "webhook endpoint", id, param: "webhook_endpoint", status: 404 });
    if (method === "GET") return { status: 200, body: render(found) };
    endpoints.remove(account.id, id);
    return { status: 200, body: { id, object: "webhook_endpoint", deleted: true } };
  };
};
