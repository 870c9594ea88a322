/**
 * Every hour: publishes changes of alerts that wait in the outbox, and transitions of circuits that were not announced.
 * Decisions: docs/security-events.md, "Alerts and their events"; docs/circuit-breaker.md, "Transitions".
 */
import { sweepAnnouncements } from "../../shared/circuit-breaker/sweep-announcements.ts";
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { systemClock } from "../../shared/runtime/clock.ts";
import { sweepAlertOutbox } from "../../shared/security/alerts/alert-publisher.ts";
import { wireSweepAnnouncements } from "../../shared/wiring/circuit-breaker.ts";
import { wireAlertSweep } from "../../shared/wiring/security.ts";

const stores = wireAlertSweep();
const circuits = wireSweepAnnouncements();

export const handler = createScheduledHandler("sweep-alert-outbox", async ({ remainingMs }) => ({
  ...(await sweepAlertOutbox(stores, systemClock(), remainingMs)),
  circuits: await sweepAnnouncements(circuits, remainingMs),
}));
