/** PUT /api/integrations/provider/notifications/{id}: replaces a destination. docs/notifications.md, "Destinations". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireChangeDestination } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.changeDestination;
const change = wireChangeDestination();

export const handler = createHandler(
  route,
  ({ params, body, caller, origin, address }) => change(params.id, body, { caller, origin, address }),
  wireHandler(route),
);
