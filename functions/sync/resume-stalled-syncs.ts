/**
 * Every hour: asks for a worker for each sync run that has none, for scheduled runs that were lost, and for proofs of
 * API keys.
 * Decisions: docs/sync.md, "The worker" and "The schedule"; docs/connection.md, "Platform events".
 */
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { resumeSyncs } from "../../shared/sync/sync-schedules.ts";
import { wireResume } from "../../shared/wiring/sync.ts";

const dependencies = wireResume();

export const handler = createScheduledHandler("resume-stalled-syncs", ({ remainingMs }) =>
  resumeSyncs(dependencies, remainingMs),
);
