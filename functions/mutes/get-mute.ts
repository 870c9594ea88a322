/** GET /api/integrations/provider/mutes/{id}: one mute, with what it has hidden. docs/rules.md, "Mutes". */
import { muteRoutes } from "../../shared/api/mute-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireReadMutes } from "../../shared/wiring/mutes.ts";

const route = muteRoutes.getMute;
const mutes = wireReadMutes();

export const handler = createHandler(
  route,
  ({ caller, params }) => mutes.get(caller.organizationId, params.id),
  wireHandler(route),
);
