/** POST /api/integrations/provider/notifications/deliveries/{id}/retry: tries a failed delivery again. docs/notifications.md. */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireRetryDelivery } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.retryDelivery;
const retry = wireRetryDelivery();

export const handler = createHandler(
  route,
  ({ params, ...request }) => retry(params.id, request),
  withAnswerOnce(wireHandler(route)),
);
