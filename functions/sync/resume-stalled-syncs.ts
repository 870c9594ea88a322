/**
 * Every hour: asks for a worker for each sync run that has none, and for scheduled runs that were lost.
 * Decisions: docs/sync.md, "The worker" and "The schedule".
 */
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { resumeSyncs } from "../../shared/sync/sync-schedules.ts";
import { wireResume } from "../../shared/wiring/sync.ts";

const dependencies = wireResume();

export const handler = createScheduledHandler("resume-stalled-syncs", ({ remainingMs }) =>
  resumeSyncs(dependencies, remainingMs),
);
