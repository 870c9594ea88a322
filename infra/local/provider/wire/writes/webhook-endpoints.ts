import { randomBytes } from "node:crypto";
import type * as z from "zod";
import type { ChangeContext } from "../../changes/targets.ts";
import { apiKeyIdOf } from "../../store/activity-table.ts";
import { Endpoint, openRegisteredEndpoints, type RegisteredEndpoint } from "../../webhooks/endpoint.ts";
import { invalidParameter, refusal } from "../requests/answer.ts";
import { findEndpoint, renderEndpoint } from "../requests/webhook-endpoints.ts";
import { boolean, list, mergeMetadata, metadata, text, unsettableText } from "./fields.ts";
import { write } from "./write.ts";

/** The most endpoints of an account: https://docs.stripe.com/webhooks */
const MAX_ENDPOINTS = 16;

const attached = { description: unsettableText().optional(), metadata: metadata().optional() };

const endpointsOf = ({ store }: ChangeContext) => openRegisteredEndpoints(store.database);

/** Changes by the API are in the account's log of activity, as made by the key. */
const noteActivity = (
  { store, account, ledger }: ChangeContext,
  what: "created" | "updated" | "disabled" | "deleted",
  { id, endpoint }: RegisteredEndpoint,
): void => {
  const actor = { type: "api_key", apiKeyId: apiKeyIdOf(account) };
  const details = { type: "event_destination", event_destination: { id, url: endpoint.url } };
  const at = ledger.at * 1_000;
  store.activity.insert(
    account,
    { type: `event_destination_${what}`, actor, details },
    { occurredAt: at, listedAt: at },
  );
};

const parseEndpoint = (endpoint: z.input<typeof Endpoint>): Endpoint => {
  const parsed = Endpoint.safeParse(endpoint);
  if (!parsed.success) throw invalidParameter("url", "Invalid URL: must be an HTTP or HTTPS URL", "url_invalid");
  return parsed.data;
};

/** https://docs.stripe.com/api/webhook_endpoints */
export const webhookEndpointWrites = [
  write(
    "POST /v1/webhook_endpoints",
    {
      url: text(),
      enabled_events: list(text()),
      api_version: text().optional(),
      connect: boolean().optional(),
      ...attached,
    },
    (context, input) => {
      const { account, ledger } = context;
      const { url, enabled_events: enabledEvents, connect } = input;
      const secret = `whsec_${randomBytes(16).toString("hex")}`;
      const endpoint = parseEndpoint({ url, enabledEvents, connect, secrets: [secret] });
      if (endpointsOf(context).list(account.id).length >= MAX_ENDPOINTS)
        throw refusal(400, { message: `You have reached the maximum of ${MAX_ENDPOINTS} test webhook endpoints.` });
      const registered: RegisteredEndpoint = {
        id: `we_1${randomBytes(12).toString("hex")}`,
        created: ledger.at,
        endpoint,
        apiVersion: input.api_version ?? null,
        description: input.description ?? null,
        metadata: mergeMetadata({}, input.metadata),
      };
      endpointsOf(context).set(account.id, registered);
      noteActivity(context, "created", registered);
      // The answer to the creation is the only one with the secret.
      return { rendered: { ...renderEndpoint(registered), secret } };
    },
  ),
  write(
    "POST /v1/webhook_endpoints/{id}",
    {
      url: text().optional(),
      enabled_events: list(text()).optional(),
      disabled: boolean().optional(),
      ...attached,
    },
    (context, { url, enabled_events: enabledEvents, disabled, description, metadata: given }, id) => {
      const { account } = context;
      const before = findEndpoint(endpointsOf(context), account.id, id);
      const endpoint = parseEndpoint({
        ...before.endpoint,
        ...(url !== undefined && { url }),
        ...(enabledEvents !== undefined && { enabledEvents }),
        ...(disabled !== undefined && { disabled }),
      });
      const merged = mergeMetadata(before.metadata, given);
      const after = { ...before, endpoint, metadata: merged, ...(description !== undefined && { description }) };
      endpointsOf(context).set(account.id, after);
      noteActivity(context, disabled === true ? "disabled" : "updated", after);
      return { rendered: renderEndpoint(after) };
    },
  ),
  write("DELETE /v1/webhook_endpoints/{id}", {}, (context, _, id) => {
    const { account } = context;
    const removed = findEndpoint(endpointsOf(context), account.id, id);
    endpointsOf(context).remove(account.id, id);
    noteActivity(context, "deleted", removed);
    return { rendered: { id, object: "webhook_endpoint", deleted: true } };
  }),
];
