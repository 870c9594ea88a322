/**
 * Every hour: publishes changes of alerts that wait in the outbox.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */

import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { sweepAlertOutbox } from "../../shared/security/alerts/alert-publisher.ts";
import { wireAlertOutbox } from "../../shared/wiring/security.ts";

const stores = wireAlertOutbox();

export const handler = createScheduledHandler("sweep-alert-outbox", ({ remainingMs }) =>
  sweepAlertOutbox(stores, systemClock(), remainingMs),
);
