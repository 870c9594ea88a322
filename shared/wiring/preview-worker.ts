/** The worker of previews in its deployed function. Throws Error at cold start if the environment lacks a variable. */
import { createConnectionStore } from "../connection/connection-store.ts";
import { createBaselineStore } from "../detection/baseline-store.ts";
import { createCustomRuleStore } from "../detection/custom-rules/custom-rule-store.ts";
import { createHourFactsStore } from "../detection/event-facts-store.ts";
import { createSyncFactsStore } from "../detection/sync-facts-store.ts";
import { createWindowStore } from "../detection/window-store.ts";
import { createFraudWarningStore } from "../money/fraud-warning-store.ts";
import { createMoneyHourStore } from "../money/money-hour-store.ts";
import { createMoneyStore } from "../money/money-store.ts";
import { createDestinationStore } from "../notifications/destination-store.ts";
import { createReadInputs } from "../previews/preview-inputs.ts";
import { createPreviewStore } from "../previews/preview-store.ts";
import { createPreviewWorker, type PreviewWorker } from "../previews/preview-worker.ts";
import { createStateStore } from "../previews/state-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { createAlertPeriodStore } from "../security/alerts/alert-period-store.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { wireMuteStore } from "./mute-stores.ts";
import { wireRuleSettings } from "./rule-settings.ts";

export const wirePreviewWorker = (): PreviewWorker => {
  const config = readConfig(["EVENT_BUS_NAME", "SYNC_INTERVAL_HOURS", "RETENTION_DAYS"]);
  return createPreviewWorker({
    previews: createPreviewStore(openTable("previews")),
    states: createStateStore(openTable("previews"), { newToken: newRequestToken }),
    readInputs: createReadInputs({
      settings: wireRuleSettings(),
      customRules: createCustomRuleStore(openTable("detection")),
      windows: createWindowStore(openTable("detection"), { retentionDays: config.RETENTION_DAYS }),
      baselines: createBaselineStore(openTable("detection")),
      syncFacts: createSyncFactsStore(openTable("syncRuns")),
      connections: createConnectionStore(openTable("connections")),
      alerts: createAlertPeriodStore(openTable("securityAlerts")),
      mutes: wireMuteStore(),
      destinations: createDestinationStore(openTable("notifications")),
      moneyDays: createMoneyStore(openTable("detection")),
      moneyHours: createMoneyHourStore(openTable("detection")),
      warnings: createFraudWarningStore(openTable("detection")),
    }),
    events: createHourFactsStore(openTable("securityEvents")),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    clock: systemClock,
    newToken: newRequestToken,
    syncIntervalMs: config.SYNC_INTERVAL_HOURS * HOUR_MS,
  });
};
