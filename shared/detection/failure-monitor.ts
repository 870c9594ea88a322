/**
 * Counts failures of the store and the bus in this instance, and raises their finding at once: without the store, no
 * events are left for the hourly run. Each instance counts only its own failures.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { type RaiseFinding, withinTime } from "./raise-finding.ts";
import type { ServiceFailure } from "./rules/rule.ts";
import { failureJudge } from "./rules/rules.ts";

/** The failed request waits for this, and the alert's store may be what fails. */
const RAISE_WITHIN_MS = 1_000;
const MAX_ORGANIZATIONS = 1_000;
const WINDOW_MS = failureJudge.needs.failureWindowMs;

/** One per instance. It raises at most one finding per window and organization. If that fails, it logs an alarm. */
export const createFailureMonitor = ({ raise, now }: { raise: RaiseFinding; now: Clock }): NoteFailure => {
  const failuresByOrganization = new Map<string | undefined, ServiceFailure[]>();
  const raisedAt = new Map<string | undefined, number>();

  return async (organizationId, part) => {
    const at = now();
    const isRecent = (time: number): boolean => time > at - WINDOW_MS;
    const before = failuresByOrganization.get(organizationId) ?? [];
    const failures = [...before, { at, part }].filter((failure) => isRecent(failure.at));
    if (failuresByOrganization.size >= MAX_ORGANIZATIONS) failuresByOrganization.clear();
    failuresByOrganization.set(organizationId, failures);
    const finding = failureJudge.judgeFailures(failures);
    const lastRaisedAt = raisedAt.get(organizationId);
    if (finding === undefined || (lastRaisedAt !== undefined && isRecent(lastRaisedAt))) return;
    if (raisedAt.size >= MAX_ORGANIZATIONS) raisedAt.clear();
    raisedAt.set(organizationId, at);
    try {
      await withinTime(raise(organizationId, finding), RAISE_WITHIN_MS);
    } catch (error) {
      writeLog("error", "Raising the finding of the service's failures failed", {
        alarm: "system_errors",
        failures: failures.length,
        cause: error instanceof Error ? error.name : String(error),
      });
    }
  };
};
