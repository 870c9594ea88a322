/**
 * Every night: sums the events of the days that are over, and verifies a sample of hours and all checkpoints. It runs every hour
 * until the night is done. Decisions: docs/evidence.md, "Coverage".
 */
import { sumDays } from "../../shared/completeness/sum-days.ts";
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { wireSumDays } from "../../shared/wiring/completeness.ts";

const dependencies = wireSumDays();

export const handler = createScheduledHandler("sum-security-days", ({ remainingMs }) =>
  sumDays(dependencies, remainingMs),
);
