/**
 * Every hour: publishes the hours that are to be judged, by organization. If the time runs short, the next invocation
 * continues by a DetectionDispatchContinued event. docs/detection.md, "How an hour is judged".
 */
import { DetectionDispatch } from "../../shared/detection/detection.ts";
import { createBusHandler } from "../../shared/runtime/background-handlers.ts";
import { wireDispatchDetection } from "../../shared/wiring/detection.ts";

const dispatch = wireDispatchDetection();

export const handler = createBusHandler("dispatch-detection", DetectionDispatch, (detail, { remainingMs }) =>
  dispatch(detail, remainingMs),
);
