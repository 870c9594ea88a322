/** GET /api/integrations/provider/notifications/link?key=…: the page behind a link in a mail. docs/notifications.md, "E-mail". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { readLinkKey } from "../../shared/http/link-key.ts";
import { wireOpenEmailLink } from "../../shared/wiring/destinations.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";

const route = notificationRoutes.openEmailLink;
const open = wireOpenEmailLink();

export const handler = createHandler(route, ({ query }) => open(query.key), {
  ...wirePersonalHandler(route),
  requireKey: readLinkKey,
});
