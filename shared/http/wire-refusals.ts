/**
 * Records the refusals of a deployed function. It is imported when the first request is refused, and lies in a bundle
 * of its own beside the function's (infra/build.ts): a function that refuses nobody pays nothing for it.
 */
import { systemClock } from "../runtime/clock.ts";
import { wireRecorder } from "../security/wire-recorder.ts";
import { createRefusalRecorder, type RecordRefusal } from "./refusals.ts";

export const recordRefusal: RecordRefusal = createRefusalRecorder(wireRecorder(), systemClock);
