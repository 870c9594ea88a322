/**
 * Records the refusals of a deployed function, and tells of its failures. It is imported when the first request is
 * refused or fails, and lies in a bundle of its own beside the function's (infra/build.ts): a function that refuses nobody
 * pays nothing for it.
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
