/**
 * Every hour: publishes changes of alerts that nobody is known to have published.
 * Decisions: docs/security-events.md, "Alerts and their events".
 */
import { type Clock, systemClock } from "../../shared/runtime/clock.ts";
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { type SweepParts, sweepOutbox } from "../../shared/security/alerts/alert-publisher.ts";
import { wireAlertOutbox } from "../../shared/wiring/security.ts";

type Dependencies = SweepParts & { now: Clock };

export const sweepAlertOutboxHandler = ({ now, ...parts }: Dependencies) =>
  createScheduledHandler("sweep-alert-outbox", ({ remainingMs }) => sweepOutbox(parts, now(), remainingMs));

export const handler = sweepAlertOutboxHandler({ ...wireAlertOutbox(), now: systemClock });
