/** What alerts are decided about and published by, in a deployed function. */
import { randomBytes } from "node:crypto";
import { systemClock } from "../../runtime/clock.ts";
import { readConfig } from "../../runtime/config.ts";
import { documentClient } from "../../runtime/document-client.ts";
import { createEventBus, eventBusClient } from "../../runtime/event-bus.ts";
import { RANDOM_BYTES } from "../event-id.ts";
import { createSecurityEventStore } from "../security-event-store.ts";
import { wireRecorder } from "../wire-recorder.ts";
import { createAlertActions } from "./alert-actions.ts";
import { createAlertDecisionStore } from "./alert-decision-store.ts";
import { recordManualAlert } from "./alert-manual-event.ts";
import { createAlertOutboxStore } from "./alert-outbox-store.ts";
import { createAlertPublisher } from "./alert-publisher.ts";
import { wireAlertStore } from "./wire-alert-store.ts";

/** @throws Error at cold start where the environment lacks a variable. */
export const wireAlertOutbox = () => {
  const config = readConfig(["SECURITY_ALERTS_TABLE_NAME", "EVENT_BUS_NAME"]);
  const outbox = createAlertOutboxStore(documentClient, config.SECURITY_ALERTS_TABLE_NAME);
  const bus = createEventBus(eventBusClient, config.EVENT_BUS_NAME);
  return { outbox, publisher: createAlertPublisher({ bus, outbox }) };
};

/** @throws Error at cold start where the environment lacks a variable. */
export const wireAlertActions = () => {
  const config = readConfig(["SECURITY_EVENTS_TABLE_NAME", "SECURITY_ALERTS_TABLE_NAME", "RETENTION_DAYS"]);
  const recorder = wireRecorder();
  const events = createSecurityEventStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME);
  return createAlertActions({
    alerts: {
      ...wireAlertStore(),
      ...createAlertDecisionStore(documentClient, config.SECURITY_ALERTS_TABLE_NAME, {
        retentionDays: config.RETENTION_DAYS,
      }),
    },
    publisher: wireAlertOutbox().publisher,
    events: { markProcessed: (organizationId, ids) => events.markProcessed(organizationId, ids, systemClock()) },
    recorder: { recordManualAlert: (alert, generating) => recordManualAlert(recorder, alert, generating) },
    now: systemClock,
    random: () => randomBytes(RANDOM_BYTES),
  });
};
