/** Detection of deployed functions. Both throw Error at cold start if the environment lacks a variable. */

import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { connectedSpans } from "../connection/connected-spans.ts";
import { createConnectedStore, createConnectionStore } from "../connection/connection-store.ts";
import { createBaselineStore } from "../detection/baseline-store.ts";
import { createBaselines } from "../detection/baselines.ts";
import { createCustomResultStore } from "../detection/custom-rules/custom-result-store.ts";
import { createCustomRuleStore, listSilenceRules } from "../detection/custom-rules/custom-rule-store.ts";
import { createCustomRulesHour } from "../detection/custom-rules/custom-rules-hour.ts";
import { createDetectOrganization, createJudgeScope } from "../detection/detect-organization.ts";
import { createDetectionDispatcher } from "../detection/dispatch-detection.ts";
import { createHourFactsStore } from "../detection/event-facts-store.ts";
import { createDueMoneyStore } from "../detection/money/due-money-store.ts";
import { createJudgeMoney } from "../detection/money/judge-money.ts";
import { createRaiseFinding } from "../detection/raise-finding.ts";
import { createRuleSettingsStore } from "../detection/rule-settings-store.ts";
import { createReadSyncFacts, createSyncFactsStore } from "../detection/sync-facts-store.ts";
import { createUnjudgedStore } from "../detection/unjudged-store.ts";
import { createWindowStore } from "../detection/window-store.ts";
import { createMoneyHourStore } from "../money/money-hour-store.ts";
import { createMoneyStore } from "../money/money-store.ts";
import { createReportDueStore } from "../reports/report-due-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { wireAlertRaiser } from "./recorder.ts";

export const wireDispatchDetection = () => {
  const config = readConfig(["EVENT_BUS_NAME", "SYNC_INTERVAL_HOURS", "RETENTION_DAYS"]);
  const options = { retentionDays: config.RETENTION_DAYS };
  return createDetectionDispatcher({
    unjudged: createUnjudgedStore(openTable("detection"), options),
    silenceRules: () => listSilenceRules(openTable("detection")),
    openHours: createOpenHourStore(openTable("securityRollups"), systemClock),
    connectedOrganizations: createConnectedStore(openTable("connections")).connectedOrganizations,
    syncFacts: createSyncFactsStore(openTable("syncRuns")),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    syncIntervalMs: config.SYNC_INTERVAL_HOURS * HOUR_MS,
    retentionMs: config.RETENTION_DAYS * DAY_MS,
    now: systemClock,
    sleep,
  });
};

export const wireDetectOrganization = () => {
  const config = readConfig(["SYNC_INTERVAL_HOURS", "RETENTION_DAYS"]);
  const options = { retentionDays: config.RETENTION_DAYS };
  const reports = createReportDueStore(openTable("reports"));
  const connections = createConnectionStore(openTable("connections"));
  const raise = createRaiseFinding(wireAlertRaiser());
  const settings = createRuleSettingsStore(openTable("settings"));
  const judgeMoney = createJudgeMoney({
    days: createMoneyStore(openTable("detection")),
    hours: createMoneyHourStore(openTable("detection")),
    marks: createDueMoneyStore(openTable("detection"), { newToken: newRequestToken }),
    settings,
    raise,
  });
  return createDetectOrganization({
    judgeMoney,
    judge: createJudgeScope({
      windows: createWindowStore(openTable("detection"), options),
      events: createHourFactsStore(openTable("securityEvents")),
      settings,
      baselines: createBaselines(createBaselineStore(openTable("detection"))),
      readSyncFacts: createReadSyncFacts({
        connections,
        circuits: createCircuitStore(openTable("circuits")),
        runs: createSyncRunStore(openTable("syncRuns")),
        syncFacts: createSyncFactsStore(openTable("syncRuns")),
        syncIntervalMs: config.SYNC_INTERVAL_HOURS * HOUR_MS,
      }),
      customRules: createCustomRulesHour({
        rules: createCustomRuleStore(openTable("detection")),
        results: createCustomResultStore(openTable("detection")),
        connectedSpans: async (organizationId) => connectedSpans(await connections.read(organizationId)),
        raise,
      }),
      judgeMoney,
      raise,
      markReportsDue: (organizationId, day) => reports.markReportsDue(organizationKey(organizationId), day),
      now: systemClock,
    }),
    unjudged: createUnjudgedStore(openTable("detection"), options),
  });
};
