/**
 * PUT /api/integrations/provider/settings: replaces the settings of the caller's organization.
 * Decisions: docs/settings.md; an allowlist without its author's address is 409.
 */
import { settingsRoutes } from "../../shared/api/settings-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireChangeSettings } from "../../shared/wiring/settings.ts";

const route = settingsRoutes.changeSettings;
const change = wireChangeSettings();

export const handler = createHandler(
  route,
  ({ body, caller, origin }) => change(body, { caller, origin }),
  wireHandler(route),
);
