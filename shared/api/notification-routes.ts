/** The endpoints of notifications. Decisions: docs/notifications.md. */
import * as z from "zod/mini";
import { linkQuery } from "../http/link-key.ts";
import { defineRoutes, idOf, PositionById, pagesOf } from "../http/route.ts";
import { NotificationDelivery } from "../notifications/delivery.ts";
import {
  Destination,
  DestinationChangeRequest,
  DestinationRequest,
  DestinationWithSecret,
} from "../notifications/destination.ts";

export const notificationRoutes = defineRoutes("notifications", {
  listDestinations: {
    method: "GET",
    path: "/api/integrations/provider/notifications",
    permission: "settings:manage",
    summary: "List destinations",
    description:
      "Returns where the organization's alerts and reports are sent, oldest first; at most 20. URLs and secrets are not returned.",
    success: { status: 200, description: "The destinations.", body: z.array(Destination) },
  },
  createDestination: {
    method: "POST",
    path: "/api/integrations/provider/notifications",
    permission: "settings:manage",
    summary: "Create a destination",
    description:
      "Creates a destination. Of a webhook, this answer alone has the secret that signs. To an e-mail address goes a mail with a link; nothing else is sent there until the recipient confirms it. An address gets one such mail from an organization in 24 hours, and three from all.",
    request: { body: DestinationRequest },
    isIdempotent: true,
    success: { status: 201, description: "The destination.", body: DestinationWithSecret },
    failures: [
      "destination_not_found",
      "too_many_destinations",
      "email_not_configured",
      "too_many_confirmations",
      "idempotency_conflict",
    ],
  },
  changeDestination: {
    method: "PUT",
    path: "/api/integrations/provider/notifications/{id}",
    permission: "settings:manage",
    summary: "Replace, pause or resume a destination",
    description:
      "Replaces everything but the type. A missing URL, address or status stays. With `rollSecret`, the answer has a new secret, and the old one signs as well for 24 hours; it can be rolled four times in 24 hours. Another e-mail address must be confirmed; the same one again sends an unconfirmed recipient a new link, at most once in 24 hours.",
    request: { params: idOf("destination", "destination_not_found"), body: DestinationChangeRequest },
    success: { status: 200, description: "The destination.", body: DestinationWithSecret },
    failures: [
      "destination_not_found",
      "destination_not_confirmed",
      "email_not_configured",
      "too_many_confirmations",
      "too_many_rolls",
    ],
  },
  deleteDestination: {
    method: "DELETE",
    path: "/api/integrations/provider/notifications/{id}",
    permission: "settings:manage",
    summary: "Delete a destination",
    description: "Nothing more is sent to the destination, and its deliveries are no longer listed.",
    request: { params: idOf("destination", "destination_not_found") },
    success: { status: 204, description: "The destination is deleted." },
    failures: ["destination_not_found"],
  },
  testDestination: {
    method: "POST",
    path: "/api/integrations/provider/notifications/{id}/test",
    permission: "settings:manage",
    summary: "Send a sample",
    description:
      "Sends a sample to the destination at once. `GET …/{id}/deliveries` shows whether it arrived. An organization sends at most ten samples a minute.",
    request: { params: idOf("destination", "destination_not_found") },
    isIdempotent: true,
    success: { status: 202, description: "The delivery of the sample.", body: NotificationDelivery },
    failures: [
      "destination_not_found",
      "destination_not_confirmed",
      "destination_paused",
      "too_many_tests",
      "idempotency_conflict",
    ],
  },
  listDeliveries: {
    method: "GET",
    path: "/api/integrations/provider/notifications/{id}/deliveries",
    permission: "settings:manage",
    summary: "List deliveries",
    description:
      "Returns the deliveries of the last 30 days to a destination, newest first, each with its tries: status, latency, and the first characters of the answer, redacted.",
    request: { params: idOf("destination", "destination_not_found") },
    paging: pagesOf(PositionById),
    success: { status: 200, description: "A page of deliveries.", body: z.array(NotificationDelivery) },
    failures: ["destination_not_found"],
  },
  retryDelivery: {
    method: "POST",
    path: "/api/integrations/provider/notifications/deliveries/{id}/retry",
    permission: "settings:manage",
    summary: "Retry a failed delivery",
    description:
      "Has a delivery with the status `failed` tried again: at once, and then after the same pauses as a new one.",
    request: { params: idOf("delivery", "delivery_not_found", "The id of the delivery, from the list.") },
    isIdempotent: true,
    success: { status: 202, description: "The delivery, which waits to be sent.", body: NotificationDelivery },
    failures: [
      "delivery_not_found",
      "delivery_not_failed",
      "destination_not_confirmed",
      "destination_paused",
      "idempotency_conflict",
    ],
  },
  openEmailLink: {
    method: "GET",
    path: "/api/integrations/provider/notifications/link",
    permission: "public",
    summary: "Open a link in a mail",
    description:
      "Returns a page with a button that confirms or unsubscribes the address, or refuses the organization. Opening it changes nothing, because scanners of mails open links.",
    request: { query: linkQuery },
    success: { status: 200, description: "The page.", html: true },
    failures: ["no_bearer_token", "link_not_found", "link_ended", "store_unavailable"],
  },
  useEmailLink: {
    method: "POST",
    path: "/api/integrations/provider/notifications/link",
    permission: "public",
    summary: "Confirm, unsubscribe or refuse",
    description:
      "Does what the link in a mail says: confirms the address, unsubscribes it, or refuses the organization for 30 days. Returns a page that says so. The body is ignored: mail programs post `List-Unsubscribe=One-Click` (RFC 8058).",
    request: { query: linkQuery },
    success: { status: 200, description: "The page.", html: true },
    failures: ["no_bearer_token", "link_not_found", "link_ended", "store_unavailable"],
  },
});
