/** Every hour: requests a worker for each erasure without one. Decisions: docs/erasure.md, "Deadlines". */
import { resumeErasures } from "../../shared/erasure/resume-erasures.ts";
import { createScheduledHandler } from "../../shared/runtime/background-handlers.ts";
import { wireResumeErasures } from "../../shared/wiring/erasure.ts";

const dependencies = wireResumeErasures();

export const handler = createScheduledHandler("resume-erasures", ({ remainingMs }) =>
  resumeErasures(dependencies, remainingMs),
);
