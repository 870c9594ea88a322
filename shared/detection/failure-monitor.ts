/**
 * Counts failures of the store and the bus in this instance, and raises their finding at once: without the store, no
 * events are left for the hourly run. Each instance counts only its own failures. A failure has no address and no user, so
 * a rule has no known ones here.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { MINUTE_MS } from "../terms/hours.ts";
import { type RaiseFinding, withinTime } from "./raise-finding.ts";
import { type RevisedSettings, settingsOf, withLevel } from "./rule-settings.ts";
import type { RuleSettingsStore } from "./rule-settings-store.ts";
import type { ServiceFailure } from "./rules/rule.ts";
import { failureJudge } from "./rules/rules.ts";

/** The failed request waits for this, and the alert's store may be what fails. */
const RAISE_WITHIN_MS = 1_000;
const MAX_ORGANIZATIONS = 1_000;
const { failures: threshold, windowMinutes } = failureJudge.thresholds;
/** An instance remembers the newest, as many as any threshold needs. */
const MAX_FAILURES = threshold.max;
/** The least failures and the longest window that an organization can set. */
const LEAST_FAILURES = threshold.min;
const LONGEST_WINDOW_MS = windowMinutes.max * MINUTE_MS;
/** For this long after a finding, or after settings could not be read, no settings are read. */
const SHORTEST_WINDOW_MS = windowMinutes.min * MINUTE_MS;

type Dependencies = {
  raise: RaiseFinding;
  /** @throws what keeps the settings from being read. */
  readSettings: RuleSettingsStore["read"];
  now: Clock;
};

/** One per instance. It raises at most one finding per window and organization. If that fails, it logs an alarm. */
export const createFailureMonitor = ({ raise, readSettings, now }: Dependencies): NoteFailure => {
  const failuresByOrganization = new Map<string | undefined, ServiceFailure[]>();
  const raisedAt = new Map<string | undefined, number>();
  /** Those that were read last: while the store fails, they hold. */
  const lastSettings = new Map<string, RevisedSettings>();
  let unreadableAt = Number.NEGATIVE_INFINITY;

  const settingsAt = async (at: number, organizationId: string | undefined): Promise<RevisedSettings> => {
    const defaults = settingsOf({}, failureJudge.id);
    if (organizationId === undefined) return defaults;
    const last = lastSettings.get(organizationId) ?? defaults;
    if (unreadableAt > at - SHORTEST_WINDOW_MS) return last;
    try {
      const read = settingsOf(await withinTime(readSettings(organizationId), RAISE_WITHIN_MS), failureJudge.id);
      if (lastSettings.size >= MAX_ORGANIZATIONS) lastSettings.clear();
      lastSettings.set(organizationId, read);
      return read;
    } catch {
      unreadableAt = at;
      return last;
    }
  };

  return async (organizationId, part) => {
    const at = now();
    const before = failuresByOrganization.get(organizationId) ?? [];
    const kept = [...before, { at, part }]
      .filter((failure) => failure.at > at - LONGEST_WINDOW_MS)
      .slice(-MAX_FAILURES);
    if (failuresByOrganization.size >= MAX_ORGANIZATIONS) failuresByOrganization.clear();
    failuresByOrganization.set(organizationId, kept);
    const lastRaisedAt = raisedAt.get(organizationId) ?? Number.NEGATIVE_INFINITY;
    if (kept.length < LEAST_FAILURES || lastRaisedAt > at - SHORTEST_WINDOW_MS) return;
    const { enabled, level, thresholds } = await settingsAt(at, organizationId);
    const { failureWindowMs } = failureJudge.needs(thresholds);
    const isRecent = (time: number): boolean => time > at - failureWindowMs;
    const finding = failureJudge.judgeFailures(
      kept.filter((failure) => isRecent(failure.at)),
      thresholds,
    );
    // Concurrent failures may have raised it while the settings were read.
    if (!enabled || finding === undefined || isRecent(raisedAt.get(organizationId) ?? lastRaisedAt)) return;
    if (raisedAt.size >= MAX_ORGANIZATIONS) raisedAt.clear();
    raisedAt.set(organizationId, at);
    try {
      await withinTime(raise(organizationId, withLevel(finding, level)), RAISE_WITHIN_MS);
    } catch (error) {
      writeLog("error", "Raising the finding of the service's failures failed", {
        alarm: "system_errors",
        failures: finding.evidence.count,
        cause: error instanceof Error ? error.name : String(error),
      });
    }
  };
};
