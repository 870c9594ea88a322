/**
 * What the webhook endpoint that `registerWebhook` made lacks: looked at when it is registered, and once a day
 * (shared/sync/check-endpoint.ts). Pure. docs/connection.md, "Registering the webhook".
 */
import * as z from "zod/mini";
import { HOUR_MS } from "../terms/hours.ts";

/** Once a day. The hourly work is late by less than the hour that is missing. */
const CHECK_AFTER_MS = 23 * HOUR_MS;

/**
 * `of`: the endpoint's id. `missing`: the types of events that it did not send `at`. `changedAt`: when a request of ours has
 * last changed it. Times are epoch ms.
 */
export const EndpointCheck = z.object({
  of: z.string(),
  missing: z.array(z.string()),
  at: z.number(),
  changedAt: z.optional(z.number()),
});
export type EndpointCheck = z.output<typeof EndpointCheck>;

/** The stored check, if it is of the present endpoint. */
export const checkOf = ({
  webhookEndpointId,
  endpointCheck,
}: {
  webhookEndpointId?: string | undefined;
  endpointCheck?: EndpointCheck | undefined;
}): EndpointCheck | undefined => (endpointCheck?.of === webhookEndpointId ? endpointCheck : undefined);

/** @param check of an endpoint that an earlier version registered there is none. @param now epoch ms. */
export const isCheckDue = (check: EndpointCheck | undefined, now: number): boolean =>
  check === undefined || now - check.at >= CHECK_AFTER_MS;
