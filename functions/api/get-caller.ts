/**
 * GET /api/integrations/provider/me: the caller of the token, the caller's address, and what the caller may do.
 * Decisions: docs/identity.md.
 */
import { apiRoutes } from "../../shared/api/api-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { describeCaller } from "../../shared/settings/caller-access.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireDeploymentFacts, wireSettingsStore } from "../../shared/wiring/settings.ts";

const route = apiRoutes.getCaller;
const settings = wireSettingsStore();
const deployment = wireDeploymentFacts();

export const handler = createHandler(
  route,
  async ({ caller, origin: { ipAddress } }) => ({
    ...describeCaller(caller, await settings.read(caller.organizationId)),
    ipAddress,
    deployment,
  }),
  wireHandler(route),
);
