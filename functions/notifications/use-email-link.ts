/** POST /api/integrations/provider/notifications/link?key=…: confirms or unsubscribes. docs/notifications.md, "E-mail". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { readLinkKey } from "../../shared/http/link-key.ts";
import { wireUseEmailLink } from "../../shared/wiring/destinations.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";

const route = notificationRoutes.useEmailLink;
const use = wireUseEmailLink();

export const handler = createHandler(route, ({ query, origin }) => use(query.key, origin), {
  ...wirePersonalHandler(route),
  requireKey: readLinkKey,
});
