/**
 * Records the refusals and failures of a deployed function. It has a separate bundle (infra/build.ts), which is loaded
 * at the first refused or failed request. So cold starts do not load it.
 */
import { randomBytes } from "node:crypto";
import { createJudgeRefusal } from "../detection/judge-refusal.ts";
import {
  type CountRefusals,
  createJudgingRecorder,
  createRefusalRecorder,
  type RecordRefusal,
} from "../http/refusals.ts";
import { systemClock } from "../runtime/clock.ts";
import { RANDOM_BYTES } from "../security/event-id.ts";
import { createDenialRecorder } from "../security/flood-denials.ts";
import { floodDependencies, raiseFinding, ruleSettings, wireFlood, wireRecorder } from "./recorder.ts";

export { noteFailure } from "./recorder.ts";

const recorder = wireRecorder();
const random = () => randomBytes(RANDOM_BYTES);
const flood = wireFlood("tokens", recorder);
const denials = createDenialRecorder(
  floodDependencies(
    createJudgingRecorder({
      recorder,
      judge: createJudgeRefusal(ruleSettings),
      raise: raiseFinding,
      now: systemClock,
      random,
    }),
  ),
);

export const countRefusals: CountRefusals = async () => {
  await flood.countDue();
  await denials.countDue();
};

export const recordRefusal: RecordRefusal = createRefusalRecorder({ flood, denials });
