import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { type ChangeSettings, createChangeSettings } from "../settings/change-settings.ts";
import { createSettingsStore, type SettingsStore } from "../settings/settings-store.ts";
import { wireRecorder } from "./recorder.ts";

/**
 * The settings' store of a deployed function; each function of the integration has one, so it loads nothing else.
 * @throws Error at cold start where the environment lacks a variable.
 */
export const wireSettingsStore = (): SettingsStore => {
  const { SETTINGS_TABLE_NAME } = readConfig(["SETTINGS_TABLE_NAME"]);
  return createSettingsStore(documentClient, SETTINGS_TABLE_NAME);
};

/** What PUT …/settings does in a deployed function. @throws Error where the environment lacks a variable. */
export const wireChangeSettings = (): ChangeSettings =>
  createChangeSettings({ store: wireSettingsStore(), recorder: wireRecorder(), now: systemClock });
