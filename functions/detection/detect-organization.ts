/**
 * DetectionDue event: judges the due hours of one organization and raises their findings.
 * docs/detection.md, "How an hour is judged".
 */
import { DetectionDue } from "../../shared/detection/detection.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireDetectOrganization } from "../../shared/wiring/detection.ts";

const detect = wireDetectOrganization();

export const handler = createBusHandler("detect-organization", DetectionDue, (due, { remainingMs }) =>
  detect(due, remainingMs),
);
