/**
 * Every hour: counts up the hours of security events that are over, so that statistics need not read the events.
 * Decisions: docs/security-events.md, "Statistics".
 */
import { createUnjudgedStore } from "../../shared/detection/unjudged-store.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { readConfig } from "../../shared/runtime/config.ts";
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { documentClient } from "../../shared/runtime/document-client.ts";
import { type CloseHoursParts, closeHours } from "../../shared/security/statistics/close-hours.ts";
import { createEventCountStore } from "../../shared/security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../../shared/security/statistics/open-hour-store.ts";
import { createRollupStore } from "../../shared/security/statistics/rollup-store.ts";

export const createCloseSecurityHoursHandler = (parts: CloseHoursParts) =>
  createScheduledHandler("close-security-hours", ({ remainingMs }) => closeHours(parts, remainingMs));

const config = readConfig([
  "SECURITY_EVENTS_TABLE_NAME",
  "SECURITY_ROLLUPS_TABLE_NAME",
  "DETECTION_TABLE_NAME",
  "RETENTION_DAYS",
  "ROLLUP_SETTLE_MS",
]);

export const handler = createCloseSecurityHoursHandler({
  openHours: createOpenHourStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME, systemClock),
  rollups: createRollupStore(documentClient, config.SECURITY_ROLLUPS_TABLE_NAME),
  events: createEventCountStore(documentClient, config.SECURITY_EVENTS_TABLE_NAME),
  detection: createUnjudgedStore(documentClient, config.DETECTION_TABLE_NAME, { retentionDays: config.RETENTION_DAYS }),
  now: systemClock,
  settleMs: config.ROLLUP_SETTLE_MS,
});
