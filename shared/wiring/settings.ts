/** The settings in a deployed function. Each function throws Error if the environment lacks a variable. */

import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { openTable } from "../runtime/open-table.ts";
import { createChangeSettings } from "../settings/change-settings.ts";
import { createSettingsStore } from "../settings/settings-store.ts";
import { wireRecorder } from "./recorder.ts";

export const wireSettingsStore = () => {
  return createSettingsStore(openTable("settings"));
};

/** The settings of the deployment that callers see: every function with a token reads the same ones. */
export const wireDeploymentFacts = () => {
  const config = readConfig(["RETENTION_DAYS", "ALERT_THRESHOLD", "SECURITY_LOG_LEVEL", "FEED_BUCKET"]);
  return {
    retentionDays: config.RETENTION_DAYS,
    alertThreshold: config.ALERT_THRESHOLD,
    securityLogLevel: config.SECURITY_LOG_LEVEL,
    siemFeed: config.FEED_BUCKET !== undefined,
  };
};

/** PUT …/settings. */
export const wireChangeSettings = () =>
  createChangeSettings({ store: wireSettingsStore(), recorder: wireRecorder(), now: systemClock });
