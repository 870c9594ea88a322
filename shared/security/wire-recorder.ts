/** The recorder of a deployed function. */
import { randomBytes } from "node:crypto";
import { noteFailure } from "../detection/wire-findings.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { wireAlertRaiser } from "./alerts/wire-alert-raiser.ts";
import { createDeadLetters } from "./dead-letters.ts";
import { RANDOM_BYTES } from "./event-id.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { RECORDER_VARIABLES } from "./recorder-variables.ts";
import { createSecurityEventStore } from "./security-event-store.ts";
import { createOpenHourStore } from "./statistics/open-hour-store.ts";

const random = () => randomBytes(RANDOM_BYTES);

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
