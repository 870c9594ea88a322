/** DELETE /api/integrations/provider/mutes/{id}: ends a mute before its time. docs/rules.md, "Mutes". */
import { muteRoutes } from "../../shared/api/mute-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireEndMute } from "../../shared/wiring/mutes.ts";

const route = muteRoutes.endMute;
const end = wireEndMute();

export const handler = createHandler(route, ({ params, ...by }) => end(params.id, by), wireHandler(route));
