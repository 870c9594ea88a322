/** Every hour: has sync runs gone on with that lost their worker. Decisions: docs/sync.md, "The worker". */
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { type ResumeDependencies, resumeSyncs } from "../../shared/sync/sync-schedules.ts";
import { wireResume } from "../../shared/wiring/sync.ts";

export const resumeStalledSyncsHandler = (parts: ResumeDependencies) =>
  createScheduledHandler("resume-stalled-syncs", ({ remainingMs }) => resumeSyncs(parts, remainingMs));

export const handler = resumeStalledSyncsHandler(wireResume());
