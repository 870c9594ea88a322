/**
 * Counts failures of the store and of the bus where they surface, and tells of them at once: what fails leaves no events
 * that could be judged later. A count is of one instance, and so a lower bound.
 */
import type { Clock } from "../runtime/clock.ts";
import { writeLog } from "../runtime/log.ts";
import type { FailingPart, NoteFailure } from "../runtime/note-failure.ts";
import type { Finding } from "../security/alerts/finding.ts";
import { hourName } from "../terms/hours.ts";
import type { RaiseFinding } from "./raise-findings.ts";
import { SYSTEM_FAILURES, SYSTEM_SUBJECT, SYSTEM_TITLE } from "./rules/system-errors.ts";
import { withinTime } from "./within-time.ts";

/** Somebody waits for the request that failed; and what the alert is to be stored in may be what fails. */
const RAISE_WITHIN_MS = 1_000;
const MAX_ORGANIZATIONS = 1_000;

type Failure = { at: number; part: FailingPart };

const findingOf = (failures: readonly Failure[], latest: Failure): Finding => {
  const count = (part: FailingPart) => failures.filter((one) => one.part === part).length;
  return {
    rule: "system_errors",
    subject: SYSTEM_SUBJECT,
    title: SYSTEM_TITLE,
    level: "HIGH",
    // As the hourly rule has it: once an hour, whoever finds it.
    occurrence: hourName(latest.at),
    eventIds: [],
    evidence: { count: failures.length, store: count("store"), bus: count("bus"), ...SYSTEM_FAILURES },
    firstSeen: failures[0]?.at ?? latest.at,
    lastSeen: latest.at,
  };
};

/** One for an instance. A finding is told of at most once per window and organization; if it cannot be, in the log. */
export const createFailureMonitor = ({ raise, now }: { raise: RaiseFinding; now: Clock }): NoteFailure => {
  const failures = new Map<string | undefined, Failure[]>();
  const toldAt = new Map<string | undefined, number>();

  const isOld = (at: number, before: number): boolean => at <= before - SYSTEM_FAILURES.windowMs;

  return async (organizationId, part) => {
    const latest = { at: now(), part };
    const recent = [...(failures.get(organizationId) ?? []), latest].filter(({ at }) => !isOld(at, latest.at));
    if (failures.size >= MAX_ORGANIZATIONS) failures.clear();
    failures.set(organizationId, recent);
    const told = toldAt.get(organizationId);
    if (recent.length < SYSTEM_FAILURES.threshold || (told !== undefined && !isOld(told, latest.at))) return;
    if (toldAt.size >= MAX_ORGANIZATIONS) toldAt.clear();
    toldAt.set(organizationId, latest.at);
    try {
      await withinTime(raise(organizationId, findingOf(recent, latest)), RAISE_WITHIN_MS);
    } catch (error) {
      writeLog("error", "The service keeps failing, and the alert that says so could not be raised", {
        alarm: "system_errors",
        failures: recent.length,
        cause: error instanceof Error ? error.name : String(error),
      });
    }
  };
};
