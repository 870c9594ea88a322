/**
 * Every hour: closes the hours of security events that are over, so that statistics need not read their events. If the time
 * runs short, HourClosingContinued events continue. Decisions: docs/security-events.md, "Statistics".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { closeHoursOf, HourClosing } from "../../shared/security/statistics/continue-closing.ts";
import { wireCloseHours } from "../../shared/wiring/security.ts";

const dependencies = wireCloseHours();

export const handler = createBusHandler("close-security-hours", HourClosing, (closing, { remainingMs }) =>
  closeHoursOf(dependencies, closing, remainingMs),
);
