/** GET /api/integrations/provider/mutes: the mutes of the caller's organization, newest first. docs/rules.md, "Mutes". */
import { muteRoutes } from "../../shared/api/mute-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireReadMutes } from "../../shared/wiring/mutes.ts";

const route = muteRoutes.listMutes;
const mutes = wireReadMutes();

export const handler = createHandler(
  route,
  ({ caller, page }) => mutes.list(caller.organizationId, page),
  wireHandler(route),
);
