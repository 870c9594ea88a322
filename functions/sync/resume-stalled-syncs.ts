/** Every hour: has sync runs gone on with that lost their worker. Decisions: docs/sync.md, "The worker". */
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { type ResumeParts, resumeSyncs } from "../../shared/sync/resume-syncs.ts";
import { wireResume } from "../../shared/wiring/sync.ts";

export const resumeStalledSyncsHandler = (parts: ResumeParts) =>
  createScheduledHandler("resume-stalled-syncs", ({ remainingMs }) => resumeSyncs(parts, remainingMs));

export const handler = resumeStalledSyncsHandler(wireResume());
