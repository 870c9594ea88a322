/**
 * PUT /api/integrations/provider/settings: replaces the settings of the caller's organization.
 * Decisions: docs/settings.md; an allowlist that leaves out its author is 409.
 */
import { settingsRoutes } from "../../shared/api/settings-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import type { ChangeSettings } from "../../shared/settings/change-settings.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireChangeSettings } from "../../shared/wiring/settings.ts";

type Dependencies = { change: ChangeSettings };

export const changeSettingsHandler = ({ change }: Dependencies, parts: HandlerParts) =>
  createHandler(settingsRoutes.changeSettings, ({ body, caller, origin }) => change(body, { caller, origin }), parts);

export const handler = changeSettingsHandler(
  { change: wireChangeSettings() },
  wireParts(settingsRoutes.changeSettings),
);
