/** POST /api/integrations/provider/notifications: creates a destination. docs/notifications.md, "Destinations". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireCreateDestination } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.createDestination;
const create = wireCreateDestination();

export const handler = createHandler(
  route,
  ({ body, ...request }) => create(body, request),
  withAnswerOnce(wireHandler(route)),
);
