/** The recorder and the alert raiser of a deployed function. Each throws Error if the environment lacks a variable. */

import { randomBytes } from "node:crypto";
import { createFailureMonitor } from "../detection/failure-monitor.ts";
import { createLazyRaiseFinding } from "../detection/raise-finding.ts";
import { createRuleSettingsStore, type RuleSettingsStore } from "../detection/rule-settings-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createEventBus, eventBusClient } from "../runtime/event-bus.ts";
import { openTable } from "../runtime/open-table.ts";
import { createAlertOutboxStore } from "../security/alerts/alert-outbox-store.ts";
import { createAlertPublisher } from "../security/alerts/alert-publisher.ts";
import { type AlertRaiser, createAlertRaiser } from "../security/alerts/alert-raiser.ts";
import { createAlertRaisingStore } from "../security/alerts/alert-raising-store.ts";
import { createDeadLetters } from "../security/dead-letters.ts";
import { RANDOM_BYTES } from "../security/event-id.ts";
import { createFloodRecorder, type FloodRecorder, type PublicKind } from "../security/flood.ts";
import { createFloodBudgetStore } from "../security/flood-budget-store.ts";
import { createRecorder, type Recorder } from "../security/recorder.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { RECORDER_VARIABLES } from "./recorder-variables.ts";

const random = () => randomBytes(RANDOM_BYTES);

/** Where alerts are raised, and their changes published. */
export const wireRaising = () => {
  const config = readConfig(["EVENT_BUS_NAME", "RETENTION_DAYS"]);
  const { RETENTION_DAYS: retentionDays } = config;
  return {
    store: createAlertRaisingStore(openTable("securityAlerts"), { retentionDays, random }),
    publisher: createAlertPublisher({
      bus: createEventBus(eventBusClient, config.EVENT_BUS_NAME),
      outbox: createAlertOutboxStore(openTable("securityAlerts")),
    }),
  };
};

export const wireAlertRaiser = (): AlertRaiser => createAlertRaiser({ ...wireRaising(), now: systemClock, random });

/** Raises findings at once. */
export const raiseFinding = /* @__PURE__ */ createLazyRaiseFinding(wireAlertRaiser);

/** Reads the settings of rules. The store is opened at the first failure or refusal: most instances never have one. */
export const ruleSettings: Pick<RuleSettingsStore, "read"> = {
  read: (organizationId) => createRuleSettingsStore(openTable("settings")).read(organizationId),
};

/** Counts the failures of this instance. */
export const noteFailure = /* @__PURE__ */ createFailureMonitor({
  raise: raiseFinding,
  readSettings: ruleSettings.read,
  now: systemClock,
});

export const wireRecorder = (): Recorder => {
  const config = readConfig(RECORDER_VARIABLES);
  const retentionDays = config.RETENTION_DAYS;
  return createRecorder({
    events: createSecurityEventStore(openTable("securityEvents")),
    hours: createOpenHourStore(openTable("securityRollups"), systemClock),
    alerts: wireAlertRaiser(),
    deadLetters: createDeadLetters(createEventBus(eventBusClient, config.EVENT_BUS_NAME), noteFailure),
    settings: { logLevel: config.SECURITY_LOG_LEVEL, alertThreshold: config.ALERT_THRESHOLD, retentionDays },
    now: systemClock,
    random,
  });
};

/** What recording refusals needs. @param recorder of the same instance. */
export const floodDependencies = (recorder: Pick<Recorder, "record">) => ({
  recorder,
  budget: createFloodBudgetStore(openTable("securityRollups"), random),
  events: createSecurityEventStore(openTable("securityEvents")),
  noteFailure,
  now: systemClock,
});

/** Records refusals that anybody can cause, of one kind. @param recorder of the same instance. */
export const wireFlood = (kind: PublicKind, recorder: Recorder): FloodRecorder =>
  createFloodRecorder(kind, floodDependencies(recorder));
