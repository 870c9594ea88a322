/**
 * Records the refusals and failures of a deployed function. It has a bundle of its own (infra/build.ts), which is loaded
 * when a request is refused or fails for the first time: a cold start does not pay for it.
 */
import { randomBytes } from "node:crypto";
import { createRefusalRecorder, type RecordRefusal } from "../http/refusals.ts";
import { systemClock } from "../runtime/clock.ts";
import { RANDOM_BYTES } from "../security/event-id.ts";
import { raiseFinding, wireRecorder } from "./recorder.ts";

export { noteFailure } from "./recorder.ts";

export const recordRefusal: RecordRefusal = createRefusalRecorder({
  recorder: wireRecorder(),
  raise: raiseFinding,
  now: systemClock,
  random: () => randomBytes(RANDOM_BYTES),
});
