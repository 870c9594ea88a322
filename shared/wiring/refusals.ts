/**
 * Records the refusals and failures of a deployed function. It has a separate bundle (infra/build.ts), which is loaded
 * at the first refused or failed request. So cold starts do not load it.
 */
import { randomBytes } from "node:crypto";
import { type CountRefusals, createRefusalRecorder, type RecordRefusal } from "../http/refusals.ts";
import { systemClock } from "../runtime/clock.ts";
import { RANDOM_BYTES } from "../security/event-id.ts";
import { raiseFinding, wireFlood, wireRecorder } from "./recorder.ts";

export { noteFailure } from "./recorder.ts";

const recorder = wireRecorder();
const flood = wireFlood("tokens", recorder);

export const countRefusals: CountRefusals = flood.countDue;

export const recordRefusal: RecordRefusal = createRefusalRecorder({
  recorder,
  flood,
  raise: raiseFinding,
  now: systemClock,
  random: () => randomBytes(RANDOM_BYTES),
});
