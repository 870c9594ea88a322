/** Every hour: requests a worker for exports without one, and for files that have expired. Decisions: docs/exports.md. */
import { resumeExports } from "../../shared/exports/resume-exports.ts";
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { wireResumeExports } from "../../shared/wiring/exports.ts";

const dependencies = wireResumeExports();

export const handler = createScheduledHandler("resume-exports", ({ remainingMs }) =>
  resumeExports(dependencies, remainingMs),
);
