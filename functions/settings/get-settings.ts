/**
 * GET /api/integrations/provider/settings: the settings of the caller's organization. Each read is recorded.
 * Decisions: docs/settings.md.
 */
import { settingsRoutes } from "../../shared/api/settings-routes.ts";
import { createHandler } from "../../shared/http/create-handler.ts";
import { wireHandler } from "../../shared/wiring/http.ts";
import { wireDataReads } from "../../shared/wiring/security.ts";
import { wireSettingsStore } from "../../shared/wiring/settings.ts";

const route = settingsRoutes.getSettings;
const settings = wireSettingsStore();
const reads = wireDataReads();

export const handler = createHandler(
  route,
  async ({ caller, origin }) => {
    const found = await settings.read(caller.organizationId);
    await reads.record({ caller, origin, kind: "settings", resourceType: "provider_account" });
    return found;
  },
  wireHandler(route),
);
