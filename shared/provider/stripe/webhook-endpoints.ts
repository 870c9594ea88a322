/**
 * The account's webhook endpoints at the provider: each method is one request.
 * https://docs.stripe.com/api/webhook_endpoints
 */
import * as z from "zod/mini";
import type { RequestOptions, WebhookEndpoints } from "../provider.ts";
import { ProviderError } from "../provider-error.ts";
import { errorOfUnexpected } from "./errors.ts";
import { eventTypes } from "./events.ts";
import { API_VERSION, accepted, type SendRequest } from "./request.ts";
import { ExactId } from "./tolerant-schemas.ts";

const PATH = "/v1/webhook_endpoints";

/** An account has at most 16 endpoints (https://docs.stripe.com/webhooks), so one page has all. */
const LIMIT = 100;

const Listed = z.object({
  id: ExactId,
  url: z.string(),
  status: z.string(),
  api_version: z.nullish(z.string()),
  enabled_events: z.array(z.string()),
});
const List = z.object({ data: z.array(z.unknown()) });
const Created = z.object({ id: ExactId, secret: z.string().check(z.minLength(1)) });

/** A disabled endpoint sends nothing. */
const missingOf = ({ status, enabled_events: enabled }: z.output<typeof Listed>): readonly string[] => {
  if (status !== "enabled") return eventTypes;
  return enabled.includes("*") ? [] : eventTypes.filter((type) => !enabled.includes(type));
};

const allEvents = Object.fromEntries(eventTypes.map((type, index) => [`enabled_events[${index}]`, type]));

export const createWebhookEndpoints = (send: SendRequest, { secret, signal }: RequestOptions): WebhookEndpoints => {
  const authorization = `Bearer ${secret}`;
  return {
    async list() {
      const answer = await send({ method: "GET", path: PATH, parameters: { limit: LIMIT }, authorization, signal });
      const { body, status } = accepted(answer);
      const list = List.safeParse(body);
      if (!list.success) throw errorOfUnexpected(status);
      return list.data.data.flatMap((one) => {
        const { data: endpoint } = Listed.safeParse(one);
        if (endpoint === undefined) return [];
        const missing = missingOf(endpoint);
        const isCurrent = endpoint.api_version === API_VERSION && missing.length === 0;
        return [{ id: endpoint.id, url: endpoint.url, isCurrent, missing }];
      });
    },

    async create({ url, idempotencyKey }) {
      const answer = await send({
        method: "POST",
        path: PATH,
        parameters: {
          url,
          api_version: API_VERSION,
          description: "Keeps the synced records of this account current",
          ...allEvents,
        },
        authorization,
        signal,
        idempotencyKey,
      });
      const { body, status } = accepted(answer);
      // The secret is in the answer to the creation only.
      const created = Created.safeParse(body);
      if (!created.success) throw errorOfUnexpected(status);
      return created.data;
    },

    async update(id) {
      const path = `${PATH}/${encodeURIComponent(id)}`;
      const parameters = { disabled: "false", ...allEvents };
      accepted(await send({ method: "POST", path, parameters, authorization, signal }));
    },

    async remove(id) {
      const path = `${PATH}/${encodeURIComponent(id)}`;
      try {
        accepted(await send({ method: "DELETE", path, authorization, signal }));
      } catch (error) {
        if (!(error instanceof ProviderError && error.reason === "missing")) throw error;
      }
    },
  };
};
