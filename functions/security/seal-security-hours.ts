/**
 * Every hour: seals the hours of security events that have changed, and signs the log's checkpoint. If the time runs short, a
 * SealingContinued event continues. Decisions: docs/evidence.md, "How hours are sealed".
 */
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { SealingRun, sealDueHours } from "../../shared/sealing/seal-due-hours.ts";
import { wireSealing } from "../../shared/wiring/evidence.ts";

const dependencies = wireSealing();

export const handler = createBusHandler("seal-security-hours", SealingRun, (run, { remainingMs }) =>
  sealDueHours(dependencies, run, remainingMs),
);
