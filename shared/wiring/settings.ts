/** The settings in a deployed function. Each function throws Error if the environment lacks a variable. */
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createChangeSettings } from "../settings/change-settings.ts";
import { createSettingsStore } from "../settings/settings-store.ts";
import { wireRecorder } from "./recorder.ts";

export const wireSettingsStore = () => {
  const { SETTINGS_TABLE_NAME } = readConfig(["SETTINGS_TABLE_NAME"]);
  return createSettingsStore(documentClient, SETTINGS_TABLE_NAME);
};

/** PUT …/settings. */
export const wireChangeSettings = () =>
  createChangeSettings({ store: wireSettingsStore(), recorder: wireRecorder(), now: systemClock });
