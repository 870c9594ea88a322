import { systemClock } from "../runtime/clock.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { type ChangeSettings, createChangeSettings } from "./change-settings.ts";
import { wireSettingsStore } from "./wire-settings-store.ts";

/** What PUT …/settings does in a deployed function. @throws Error where the environment lacks a variable. */
export const wireChangeSettings = (): ChangeSettings =>
  createChangeSettings({ store: wireSettingsStore(), recorder: wireRecorder(), now: systemClock });
