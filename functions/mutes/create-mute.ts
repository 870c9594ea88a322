/** POST /api/integrations/provider/mutes: mutes alerts for a time. docs/rules.md, "Mutes". */
import { muteRoutes } from "../../shared/api/mute-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler, withAnswerOnce } from "../../shared/wiring/http.ts";
import { wireCreateMute } from "../../shared/wiring/mutes.ts";

const route = muteRoutes.createMute;
const create = wireCreateMute();

export const handler = createHandler(
  route,
  ({ body, ...request }) => create(body, request),
  withAnswerOnce(wireHandler(route)),
);
