/** POST /api/integrations/provider/notifications/{id}/test: sends a sample. docs/notifications.md, "Destinations". */
import { notificationRoutes } from "../../shared/api/notification-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireTestDestination } from "../../shared/wiring/notifications.ts";

const route = notificationRoutes.testDestination;
const test = wireTestDestination();

export const handler = createHandler(
  route,
  ({ params, ...request }) => test(params.id, request),
  withAnswerOnce(wireHandler(route)),
);
