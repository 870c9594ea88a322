/** Detection of deployed functions. Both throw Error at cold start if the environment lacks a variable. */
import { setTimeout as sleep } from "node:timers/promises";
import { createCircuitStore } from "../circuit-breaker/circuit-store.ts";
import { createConnectedStore, createConnectionStore } from "../connection/connection-store.ts";
import { createBaselineStore } from "../detection/baseline-store.ts";
import { createBaselines } from "../detection/baselines.ts";
import { createDetectOrganization, createJudgeScope } from "../detection/detect-organization.ts";
import { createDetectionDispatcher } from "../detection/dispatch-detection.ts";
import { createHourFactsStore } from "../detection/event-facts-store.ts";
import { createRaiseFinding } from "../detection/raise-finding.ts";
import { createReadSyncFacts, createSyncFactsStore } from "../detection/sync-facts-store.ts";
import { createUnjudgedStore } from "../detection/unjudged-store.ts";
import { createWindowStore } from "../detection/window-store.ts";
import { createReportDueStore } from "../reports/report-due-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createSyncRunStore } from "../sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { wireAlertRaiser } from "./recorder.ts";

export const wireDispatchDetection = () => {
  const config = readConfig([
    "DETECTION_TABLE_NAME",
    "SECURITY_ROLLUPS_TABLE_NAME",
    "CONNECTIONS_TABLE_NAME",
    "SYNC_RUNS_TABLE_NAME",
    "EVENT_BUS_NAME",
    "SYNC_INTERVAL_HOURS",
    "RETENTION_DAYS",
  ]);
  const options = { retentionDays: config.RETENTION_DAYS };
  return createDetectionDispatcher({
    unjudged: createUnjudgedStore(documentClient, config.DETECTION_TABLE_NAME, options),
    openHours: createOpenHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
    connectedOrganizations: createConnectedStore(documentClient, config.CONNECTIONS_TABLE_NAME).connectedOrganizations,
    syncFacts: createSyncFactsStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    syncIntervalMs: config.SYNC_INTERVAL_HOURS * HOUR_MS,
    retentionMs: config.RETENTION_DAYS * DAY_MS,
    now: systemClock,
    sleep,
  });
};

export const wireDetectOrganization = () => {
  const config = readConfig([
    "DETECTION_TABLE_NAME",
    "SECURITY_EVENTS_TABLE_NAME",
    "CONNECTIONS_TABLE_NAME",
    "CIRCUITS_TABLE_NAME",
    "SYNC_RUNS_TABLE_NAME",
    "REPORTS_TABLE_NAME",
    "SYNC_INTERVAL_HOURS",
    "RETENTION_DAYS",
  ]);
  const options = { retentionDays: config.RETENTION_DAYS };
  const reports = createReportDueStore(documentClient, config.REPORTS_TABLE_NAME);
  return createDetectOrganization({
    judge: createJudgeScope({
      windows: createWindowStore(documentClient, config.DETECTION_TABLE_NAME, options),
      events: createHourFactsStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
      baselines: createBaselines(createBaselineStore(documentClient, config.DETECTION_TABLE_NAME)),
      readSyncFacts: createReadSyncFacts({
        connections: createConnectionStore(documentClient, config.CONNECTIONS_TABLE_NAME),
        circuits: createCircuitStore(documentClient, config.CIRCUITS_TABLE_NAME),
        runs: createSyncRunStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
        syncFacts: createSyncFactsStore(documentClient, config.SYNC_RUNS_TABLE_NAME),
        syncIntervalMs: config.SYNC_INTERVAL_HOURS * HOUR_MS,
      }),
      raise: createRaiseFinding(wireAlertRaiser()),
      markReportsDue: (organizationId, day) => reports.markReportsDue(organizationKey(organizationId), day),
      now: systemClock,
    }),
    unjudged: createUnjudgedStore(documentClient, config.DETECTION_TABLE_NAME, options),
  });
};
