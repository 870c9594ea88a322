/** Every hour: has erasures gone on with that lost their worker. Decisions: docs/erasure.md, "Until when". */
import { type ResumeErasuresParts, resumeErasures } from "../../shared/erasure/resume-erasures.ts";
import { createScheduledHandler } from "../../shared/runtime/create-scheduled-handler.ts";
import { wireResumeErasures } from "../../shared/wiring/erasure.ts";

export const resumeErasuresHandler = (parts: ResumeErasuresParts) =>
  createScheduledHandler("resume-erasures", ({ remainingMs }) => resumeErasures(parts, remainingMs));

export const handler = resumeErasuresHandler(wireResumeErasures());
