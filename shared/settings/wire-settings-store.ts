import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createSettingsStore, type SettingsStore } from "./settings-store.ts";

/**
 * The settings' store of a deployed function; each function of the integration has one, so it loads nothing else.
 * @throws Error at cold start where the environment lacks a variable.
 */
export const wireSettingsStore = (): SettingsStore => {
  const { SETTINGS_TABLE_NAME } = readConfig(["SETTINGS_TABLE_NAME"]);
  return createSettingsStore(documentClient, SETTINGS_TABLE_NAME);
};
