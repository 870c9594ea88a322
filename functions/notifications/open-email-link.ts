/** GET /api/integrations/provider/notifications/link?key=…: the page behind a link in a mail. docs/notifications.md, "E-mail". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { emailLinkPage } from "../../shared/http/email-link-page.ts";
import { readLinkKey } from "../../shared/http/link-key.ts";
import { wirePersonalHandler } from "../../shared/wiring/http.ts";
import { wireOpenEmailLink } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.openEmailLink;
const open = wireOpenEmailLink();

export const handler = createHandler(route, async ({ query }) => emailLinkPage(await open(query.key)), {
  ...wirePersonalHandler(route),
  requireKey: readLinkKey,
});
