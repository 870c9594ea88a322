/** How a deployed function raises findings at once. What it takes is made when there is one for the first time. */
import { systemClock } from "../runtime/clock.ts";
import { wireAlertRaiser } from "../security/alerts/wire-alert-raiser.ts";
import { createFailureMonitor, type NoteFailure } from "./failure-monitor.ts";
import { createRaiseFinding, type RaiseFinding } from "./raise-findings.ts";

let made: RaiseFinding | undefined;

export const raiseFinding: RaiseFinding = async (organizationId, finding) => {
  made ??= createRaiseFinding(wireAlertRaiser());
  await made(organizationId, finding);
};

/** Counts the failures of this instance. */
export const noteFailure: NoteFailure = createFailureMonitor({ raise: raiseFinding, now: systemClock });
