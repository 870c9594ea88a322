/** DELETE /api/integrations/provider/notifications/{id}: deletes a destination. docs/notifications.md, "Destinations". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireDeleteDestination } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.deleteDestination;
const remove = wireDeleteDestination();

export const handler = createHandler(
  route,
  ({ params, caller, origin }) => remove(params.id, { caller, origin }),
  wireHandler(route),
);
