/**
 * Judges the hours of one organization that a dispatch found, and raises what they mean; the bus delivers the requests.
 * docs/detection.md, "How an hour is judged".
 */
import type { createDetectOrganization } from "../../shared/detection/detect-organization.ts";
import { DetectionDue } from "../../shared/detection/detection-due.ts";
import { createBusHandler } from "../../shared/runtime/create-bus-handler.ts";
import { wireDetectOrganization } from "../../shared/wiring/detection.ts";

export const detectOrganizationHandler = (detect: ReturnType<typeof createDetectOrganization>) =>
  createBusHandler("detect-organization", DetectionDue, (due, { remainingMs }) => detect(due, remainingMs));

export const handler = detectOrganizationHandler(wireDetectOrganization());
