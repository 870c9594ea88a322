/** The judging of refused calls, of deployed functions that work with stored credentials. */

import { createWatchRefusals } from "../detection/account/watch-account.ts";
import type { OnRefused } from "../provider/record-operation.ts";
import { systemClock } from "../runtime/clock.ts";
import { openTable } from "../runtime/open-table.ts";
import { createSecurityEventStore } from "../security/security-event-store.ts";
import { raiseFinding, ruleSettings } from "./recorder.ts";

/** @throws Error at cold start if the environment lacks a variable. */
export const wireWatchRefusals = (): OnRefused =>
  createWatchRefusals({
    events: createSecurityEventStore(openTable("securityEvents")),
    settings: ruleSettings,
    raise: raiseFinding,
    now: systemClock,
  });
