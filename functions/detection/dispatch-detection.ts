/**
 * Every hour: asks for each organization with hours to be judged, and for the events of none. It goes on by an event of
 * the bus where one invocation is too short. docs/detection.md, "How an hour is judged".
 */

import { DetectionDispatch } from "../../shared/detection/detection-due.ts";
import type { createDetectionDispatcher } from "../../shared/detection/dispatch-detection.ts";
import { createBusHandler } from "../../shared/runtime/create-bus-handler.ts";
import { wireDispatchDetection } from "../../shared/wiring/detection.ts";

export const dispatchDetectionHandler = (dispatch: ReturnType<typeof createDetectionDispatcher>) =>
  createBusHandler("dispatch-detection", DetectionDispatch, ({ after }, { remainingMs }) =>
    dispatch(after, remainingMs),
  );

export const handler = dispatchDetectionHandler(wireDispatchDetection());
