/** The dependencies of the security endpoints and schedules, and of data reads. */

import { createUnjudgedStore } from "../detection/unjudged-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, type EventBus, eventBusClient } from "../runtime/event-bus.ts";
import { createAlertDecisionStore } from "../security/alerts/alert-decision-store.ts";
import { createAlertNoteStore } from "../security/alerts/alert-note-store.ts";
import { createAlertOutboxStore, createWaitingAlertStore } from "../security/alerts/alert-outbox-store.ts";
import { createAlertPublisher } from "../security/alerts/alert-publisher.ts";
import { createAlertStore } from "../security/alerts/alert-store.ts";
import { suspiciousActivityOf } from "../security/alerts/finding.ts";
import { createDataReadStore } from "../security/data-read-store.ts";
import { createDataReadRecorder, type DataReadRecorder } from "../security/data-reads.ts";
import { createDueHourStore } from "../security/feed/due-hour-store.ts";
import { createAlertActions } from "../security/monitoring/alert-actions.ts";
import type { SecurityReportDependencies } from "../security/monitoring/security-report.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import type { CloseHoursDependencies } from "../security/statistics/close-hours.ts";
import { countSelection } from "../security/statistics/count-selection.ts";
import { createEventCountStore, createSelectionCountStore } from "../security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createRollupStore } from "../security/statistics/rollup-store.ts";
import { wireRecorder } from "./recorder.ts";

/** The alerts of a deployed function. @throws Error at cold start if the environment lacks a variable. */
export const wireAlertStore = () =>
  createAlertStore(documentClient, readConfig(["SECURITY_ALERTS_TABLE_NAME"]).SECURITY_ALERTS_TABLE_NAME);

/** The notes of alerts of a deployed function. @throws Error at cold start if the environment lacks a variable. */
export const wireAlertNotes = () =>
  createAlertNoteStore(documentClient, readConfig(["SECURITY_ALERTS_TABLE_NAME"]).SECURITY_ALERTS_TABLE_NAME);

/** The security events of a deployed function. @throws Error at cold start if the environment lacks a variable. */
export const wireSecurityEventStore = () =>
  createSecurityEventStore(documentClient, readConfig(["SECURITY_EVENTS_TABLE_NAME"]).SECURITY_EVENTS_TABLE_NAME);

const wireAlertPublisher = () => {
  const config = readConfig(["SECURITY_ALERTS_TABLE_NAME", "EVENT_BUS_NAME"]);
  const bus = createEventBus(eventBusClient, config.EVENT_BUS_NAME);
  return createAlertPublisher({
    bus,
    outbox: createAlertOutboxStore(documentClient, config.SECURITY_ALERTS_TABLE_NAME),
  });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireAlertSweep = () => {
  const { SECURITY_ALERTS_TABLE_NAME: tableName } = readConfig(["SECURITY_ALERTS_TABLE_NAME"]);
  return {
    outbox: createWaitingAlertStore(documentClient, tableName),
    notes: wireAlertNotes(),
    publisher: wireAlertPublisher(),
  };
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireAlertActions = () => {
  const config = readConfig(["SECURITY_ALERTS_TABLE_NAME", "RETENTION_DAYS"]);
  return createAlertActions({
    alerts: createAlertDecisionStore(documentClient, config.SECURITY_ALERTS_TABLE_NAME, {
      retentionDays: config.RETENTION_DAYS,
    }),
    notes: wireAlertNotes(),
    publisher: wireAlertPublisher(),
    events: wireSecurityEventStore(),
    recorder: wireRecorder(),
  });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireDataReads = (): DataReadRecorder => {
  const { SECURITY_ROLLUPS_TABLE_NAME } = readConfig(["SECURITY_ROLLUPS_TABLE_NAME"]);
  return createDataReadRecorder({
    marks: createDataReadStore(documentClient, SECURITY_ROLLUPS_TABLE_NAME),
    recorder: wireRecorder(),
    clock: systemClock,
  });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireSecurityReport = (): SecurityReportDependencies => {
  const config = readConfig(["SECURITY_EVENTS_TABLE_NAME", "SECURITY_ROLLUPS_TABLE_NAME"]);
  const counted = {
    openHours: createOpenHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
    rollups: createRollupStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME),
    events: createEventCountStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
    selections: createSelectionCountStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
  };
  const alerts = wireAlertStore();
  return {
    events: wireSecurityEventStore(),
    statistics: { count: (selection, now, intervalMs) => countSelection(counted, selection, now, intervalMs) },
    alerts,
    findings: {
      listOpen: async (organizationId, now) =>
        (await alerts.listUnresolvedFindings(organizationId, now)).map(suspiciousActivityOf),
    },
  };
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireCloseHours = (): CloseHoursDependencies & { bus: EventBus } => {
  const config = readConfig([
    "EVENT_BUS_NAME",
    "SECURITY_EVENTS_TABLE_NAME",
    "SECURITY_ROLLUPS_TABLE_NAME",
    "DETECTION_TABLE_NAME",
    "RETENTION_DAYS",
    "ROLLUP_SETTLE_MS",
    "FEED_BUCKET",
  ]);
  return {
    openHours: createOpenHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
    rollups: createRollupStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME),
    events: createEventCountStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
    detection: createUnjudgedStore(documentClient, config.DETECTION_TABLE_NAME, {
      retentionDays: config.RETENTION_DAYS,
    }),
    feed:
      config.FEED_BUCKET === undefined
        ? undefined
        : createDueHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
    settleMs: config.ROLLUP_SETTLE_MS,
  };
};
