/**
 * GET /api/integrations/provider/settings: the settings of the caller's organization; each read is recorded.
 * Decisions: docs/settings.md.
 */
import { settingsRoutes } from "../../shared/api/settings-routes.ts";
import { createHandler, type HandlerParts } from "../../shared/http/create-handler.ts";
import type { DataReadRecorder } from "../../shared/security/data-reads.ts";
import type { SettingsStore } from "../../shared/settings/settings-store.ts";
import { wireParts } from "../../shared/wiring/http.ts";
import { wireDataReads } from "../../shared/wiring/security.ts";
import { wireSettingsStore } from "../../shared/wiring/settings.ts";

type Dependencies = { settings: Pick<SettingsStore, "read">; reads: Pick<DataReadRecorder, "record"> };

export const getSettingsHandler = ({ settings, reads }: Dependencies, parts: HandlerParts) =>
  createHandler(
    settingsRoutes.getSettings,
    async ({ caller, origin }) => {
      const found = await settings.read(caller.organizationId);
      await reads.record({ caller, origin, kind: "settings", resourceType: "provider_account" });
      return found;
    },
    parts,
  );

export const handler = getSettingsHandler(
  { settings: wireSettingsStore(), reads: wireDataReads() },
  wireParts(settingsRoutes.getSettings),
);
