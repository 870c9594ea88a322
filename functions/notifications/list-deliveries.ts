/** GET /api/integrations/provider/notifications/{id}/deliveries: what was sent. docs/notifications.md, "Destinations". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireListDeliveries } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.listDeliveries;
const list = wireListDeliveries();

export const handler = createHandler(
  route,
  ({ params, caller, page }) => list(caller.organizationId, params.id, page),
  wireHandler(route),
);
