/**
 * Every hour: requests a worker for exports and previews without one, and for files that have expired. Decisions:
 * docs/exports.md, and docs/rules.md, "Previews".
 */
import { resumeExports } from "../../shared/exports/resume-exports.ts";
import { resumePreviews } from "../../shared/previews/resume-previews.ts";
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { wireResumeExports } from "../../shared/wiring/exports.ts";
import { wireResumePreviews } from "../../shared/wiring/previews.ts";

const exports = wireResumeExports();
const previews = wireResumePreviews();

export const handler = createScheduledHandler("resume-exports", async ({ remainingMs }) => {
  const { underWay, resumed, failed } = await resumeExports(exports, remainingMs);
  const others = await resumePreviews(previews, remainingMs);
  return {
    underWay: underWay + others.underWay,
    resumed: resumed + others.resumed,
    failed: failed + others.failed,
  };
});
