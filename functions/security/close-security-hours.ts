/**
 * Every hour: closes the hours of security events that are over, so that statistics need not read their events.
 * Decisions: docs/security-events.md, "Statistics".
 */
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { closeHours } from "../../shared/security/statistics/close-hours.ts";
import { wireCloseHours } from "../../shared/wiring/security.ts";

const stores = wireCloseHours();

export const handler = createScheduledHandler("close-security-hours", ({ remainingMs }) =>
  closeHours(stores, remainingMs),
);
