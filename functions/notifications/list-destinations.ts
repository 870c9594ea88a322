/** GET /api/integrations/provider/notifications: the organization's destinations. docs/notifications.md, "Destinations". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { toDestination } from "../../shared/notifications/notification-items.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireDestinationStore } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.listDestinations;
const destinations = wireDestinationStore();

export const handler = createHandler(
  route,
  async ({ caller }) => (await destinations.list(caller.organizationId)).map(toDestination),
  wireHandler(route),
);
