/** What raises alerts, of a deployed function. */
/** How a deployed function raises findings at once. What it takes is made when there is one for the first time. */
/** The recorder of a deployed function. */
import { randomBytes } from "node:crypto";
import { createFailureMonitor } from "../detection/failure-monitor.ts";
import { createRaiseFinding, type RaiseFinding } from "../detection/raise-finding.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { createAlertPublisher } from "../security/alerts/alert-publisher.ts";
import { type AlertRaiser, createAlertRaiser } from "../security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../security/alerts/alert-raising-store.ts";
import { createAlertOutboxStore } from "../security/alerts/alert-store.ts";
import { createDeadLetters } from "../security/dead-letters.ts";
import { RANDOM_BYTES } from "../security/event-id.ts";
import { createRecorder, type Recorder } from "../security/recorder.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { RECORDER_VARIABLES } from "./recorder-variables.ts";

const random = () => randomBytes(RANDOM_BYTES);

/** @throws Error at cold start where the environment lacks a variable. */
export const wireAlertRaiser = (): AlertRaiser => {
  const config = readConfig(["SECURITY_ALERTS_TABLE_NAME", "EVENT_BUS_NAME", "RETENTION_DAYS"]);
  const { SECURITY_ALERTS_TABLE_NAME: tableName, RETENTION_DAYS: retentionDays } = config;
  return createAlertRaiser({
    store: createAlertRaisingStore(documentClient, tableName, { retentionDays, random }),
    publisher: createAlertPublisher({
      bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
      outbox: createAlertOutboxStore(documentClient, tableName),
    }),
    now: systemClock,
    random,
  });
};

let made: RaiseFinding | undefined;

export const raiseFinding: RaiseFinding = async (organizationId, finding) => {
  made ??= createRaiseFinding(wireAlertRaiser());
  await made(organizationId, finding);
};

/** Counts the failures of this instance. */
export const noteFailure: NoteFailure = createFailureMonitor({ raise: raiseFinding, now: systemClock });

/** @throws Error at cold start where the environment lacks a variable. */
export const wireRecorder = (): Recorder => {
  const config = readConfig(RECORDER_VARIABLES);
  const retentionDays = config.RETENTION_DAYS;
  return createRecorder({
    events: createSecurityEventStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
    hours: createOpenHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
    alerts: wireAlertRaiser(),
    deadLetters: createDeadLetters(createEventBus(eventBusClient, config.EVENT_BUS_NAME), noteFailure),
    settings: { logLevel: config.SECURITY_LOG_LEVEL, alertThreshold: config.ALERT_THRESHOLD, retentionDays },
    now: systemClock,
    random,
  });
};
