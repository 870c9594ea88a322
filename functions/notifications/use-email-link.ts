/** POST /api/integrations/provider/notifications/link?key=…: confirms or unsubscribes. docs/notifications.md, "E-mail". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { emailLinkPage } from "../../shared/http/email-link-page.ts";
import { readLinkKey } from "../../shared/http/link-key.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";
import { wireUseEmailLink } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.useEmailLink;
const use = wireUseEmailLink();

export const handler = createHandler(route, async ({ query, origin }) => emailLinkPage(await use(query.key, origin)), {
  ...wirePersonalHandler(route),
  requireKey: readLinkKey,
});
