/** The endpoints of an organization's settings. Decisions: docs/settings.md. */

import { defineRoutes } from "../http/route.ts";
import { Settings } from "../settings/settings.ts";
import { SettingsRequest } from "../settings/settings-request.ts";

export const settingsRoutes = defineRoutes("settings", {
  getSettings: {
    method: "GET",
    path: "/api/integrations/provider/settings",
    permission: "settings:manage",
    summary: "Read the settings",
    description:
      "Returns the IP allowlist, the record types that members and guests may read, and whether a SIEM gets the events.",
    success: { status: 200, description: "The settings.", body: Settings },
  },
  changeSettings: {
    method: "PUT",
    path: "/api/integrations/provider/settings",
    permission: "settings:manage",
    summary: "Replace the settings",
    description:
      "Replaces all settings; a missing field gets its default. The settings apply from the next request on. An allowlist without its author's address is refused.",
    request: { body: SettingsRequest },
    success: { status: 200, description: "The settings as they are now.", body: Settings },
    failures: ["author_locked_out"],
  },
});
