/** The parts of a deployed function that has to do with settings. */
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { type ChangeSettings, createChangeSettings } from "./change-settings.ts";
import { createSettingsStore, type SettingsStore } from "./settings-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireSettingsStore = (): SettingsStore => {
  const { SETTINGS_TABLE_NAME } = readConfig(["SETTINGS_TABLE_NAME"]);
  return createSettingsStore(documentClient, SETTINGS_TABLE_NAME);
};

/** @throws Error at cold start where the environment lacks a variable. */
export const wireChangeSettings = (): ChangeSettings =>
  createChangeSettings({ store: wireSettingsStore(), recorder: wireRecorder(), now: systemClock });
