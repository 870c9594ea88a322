/** The dependencies of the security endpoints and schedules, and of data reads. */

import { createUnjudgedStore } from "../detection/unjudged-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, type EventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { createAlertDecisionStore } from "../security/alerts/alert-decision-store.ts";
import { toAlert } from "../security/alerts/alert-item.ts";
import { createAlertNoteStore } from "../security/alerts/alert-note-store.ts";
import { createAlertOutboxStore, createWaitingAlertStore } from "../security/alerts/alert-outbox-store.ts";
import { createAlertPublisher } from "../security/alerts/alert-publisher.ts";
import { createAlertReopeningStore } from "../security/alerts/alert-reopening-store.ts";
import { createResolveCause, type ResolveCause } from "../security/alerts/alert-resolver.ts";
import { createAlertStore, findAlert } from "../security/alerts/alert-store.ts";
import { suspiciousActivityOf } from "../security/alerts/finding.ts";
import { createDataReadStore } from "../security/data-read-store.ts";
import { createDataReadRecorder, type DataReadRecorder } from "../security/data-reads.ts";
import { createAlertActions } from "../security/monitoring/alert-actions.ts";
import type { SecurityReportDependencies } from "../security/monitoring/security-report.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import type { CloseHoursDependencies } from "../security/statistics/close-hours.ts";
import { countSelection } from "../security/statistics/count-selection.ts";
import { createEventCountStore, createSelectionCountStore } from "../security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createRollupStore } from "../security/statistics/rollup-store.ts";
import { organizationKey } from "../terms/keys.ts";
import { wireDueHourStore } from "./archive.ts";
import { wireRecorder } from "./recorder.ts";
import { wireDueSealStore } from "./sealing-marks.ts";

/** The alerts of a deployed function. @throws Error at cold start if the environment lacks a variable. */
export const wireAlertStore = () => createAlertStore(openTable("securityAlerts"));

/** Reads an alert; undefined if it is not stored any more. */
export const wireFindAlert = () => async (organizationId: string, id: string) => {
  const of = { scope: organizationKey(organizationId), id, now: systemClock() };
  const found = await findAlert(openTable("securityAlerts"), of);
  return found && toAlert(found.item);
};

/** The notes of alerts of a deployed function. @throws Error at cold start if the environment lacks a variable. */
export const wireAlertNotes = () => createAlertNoteStore(openTable("securityAlerts"));

/** The security events of a deployed function. @throws Error at cold start if the environment lacks a variable. */
export const wireSecurityEventStore = () => createSecurityEventStore(openTable("securityEvents"));

const wireAlertPublisher = () => {
  const config = readConfig(["EVENT_BUS_NAME"]);
  const bus = createEventBus(eventBusClient, config.EVENT_BUS_NAME);
  return createAlertPublisher({
    bus,
    outbox: createAlertOutboxStore(openTable("securityAlerts")),
  });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireAlertSweep = () => {
  return {
    outbox: createWaitingAlertStore(openTable("securityAlerts")),
    notes: wireAlertNotes(),
    publisher: wireAlertPublisher(),
  };
};

const wireAlertDecisions = () => {
  const config = readConfig(["RETENTION_DAYS"]);
  return createAlertDecisionStore(openTable("securityAlerts"), { retentionDays: config.RETENTION_DAYS });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireResolveCause = (): ResolveCause =>
  createResolveCause({ alerts: wireAlertDecisions(), publisher: wireAlertPublisher(), now: systemClock });

/** @throws Error at cold start if the environment lacks a variable. */
export const wireAlertActions = () => {
  return createAlertActions({
    alerts: wireAlertDecisions(),
    reopenings: createAlertReopeningStore(openTable("securityAlerts")),
    notes: wireAlertNotes(),
    publisher: wireAlertPublisher(),
    events: wireSecurityEventStore(),
    recorder: wireRecorder(),
  });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireDataReads = (): DataReadRecorder => {
  return createDataReadRecorder({
    marks: createDataReadStore(openTable("securityRollups")),
    recorder: wireRecorder(),
    clock: systemClock,
  });
};

/** @throws Error at cold start if the environment lacks a variable. */
export const wireSecurityReport = (): SecurityReportDependencies => {
  const counted = {
    openHours: createOpenHourStore(openTable("securityRollups"), systemClock),
    rollups: createRollupStore(openTable("securityRollups")),
    events: createEventCountStore(openTable("securityEvents")),
    selections: createSelectionCountStore(openTable("securityEvents")),
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
  const config = readConfig(["EVENT_BUS_NAME", "RETENTION_DAYS", "ROLLUP_SETTLE_MS"]);
  return {
    openHours: createOpenHourStore(openTable("securityRollups"), systemClock),
    rollups: createRollupStore(openTable("securityRollups")),
    events: createEventCountStore(openTable("securityEvents")),
    detection: createUnjudgedStore(openTable("detection"), {
      retentionDays: config.RETENTION_DAYS,
    }),
    sealing: wireDueSealStore(),
    objects: wireDueHourStore(),
    bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
    now: systemClock,
    settleMs: config.ROLLUP_SETTLE_MS,
  };
};
