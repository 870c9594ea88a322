/**
 * Judges the hours of a scope, each once. First it is decided what came of an hour, by the one item of its window; then
 * what follows is done; then that is noted. Whoever finds an hour decided and not finished does the rest again, which
 * changes nothing where it was done: so a crash anywhere, a second delivery or two workers at once end the same.
 */
import type { Clock } from "../runtime/clock.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { noSyncFacts, type SyncFacts } from "./connection-facts.ts";
import { type DayCounts, dayAfter, dayBefore } from "./day-counts.ts";
import { organizationOfScope } from "./detection-keys.ts";
import type { HourEventsStore } from "./hour-events-store.ts";
import { hourlyRules, judgeHour } from "./judge-hour.ts";
import type { RaiseFinding } from "./raise-findings.ts";
import type { Hour } from "./rules/rule.ts";
import type { createReadUsual } from "./usual.ts";
import type { Window } from "./window-item.ts";
import type { WindowStore } from "./window-store.ts";

export type JudgeParts = {
  windows: Pick<WindowStore, "latest" | "put" | "markFinished">;
  events: HourEventsStore;
  readUsual: ReturnType<typeof createReadUsual>;
  readSyncFacts: (organizationId: string, hour: Hour, known: { since: number; now: number }) => Promise<SyncFacts>;
  raise: RaiseFinding;
  /** Puts a day that is over into the baselines; again, it changes nothing. */
  storeDay: (scope: string, ended: DayCounts) => Promise<void>;
  /** Says that an organization had a day that reports are to be made of (its start, epoch ms); again, it changes nothing. */
  markReportsDue: (organizationId: string, day: number) => Promise<void>;
  now: Clock;
};

const versions = Object.fromEntries(hourlyRules.map(({ id, version }) => [id, version]));

/** `isNew`: by this call. */
export type Judged = { window: Window; isNew: boolean };

export const createJudgeScope = (parts: JudgeParts) => {
  const { windows, events, readUsual, readSyncFacts, raise, storeDay, markReportsDue, now } = parts;

  const isFirstOfDay = (window: Window, previous: Window | undefined): boolean =>
    window.ended !== undefined || previous === undefined;

  /** Does what follows from an hour, if it is not done yet. */
  const finish = async (scope: string, window: Window, previous: Window | undefined): Promise<void> => {
    if (window.finishedAt !== undefined) return;
    const organizationId = organizationOfScope(scope);
    for (const finding of window.findings) await raise(organizationId, finding);
    if (window.ended !== undefined) await storeDay(scope, window.ended);
    if (organizationId !== undefined && isFirstOfDay(window, previous)) {
      await markReportsDue(organizationId, window.hour);
    }
    await windows.markFinished(scope, window.hour, now());
  };

  const evaluate = async (scope: string, start: number, previous: Window | undefined): Promise<Window> => {
    const at = now();
    const hour: Hour = { start, end: start + HOUR_MS };
    const organizationId = organizationOfScope(scope);
    const before = dayBefore(previous?.today, start);
    const ended = previous === undefined || previous.today.day === before.day ? undefined : previous.today;
    const facts = await events.readHour(scope, start, at);
    const [usual, sync] = await Promise.all([
      readUsual({ scope, hour: start, facts, before, ended }),
      organizationId === undefined
        ? noSyncFacts
        : readSyncFacts(organizationId, hour, { since: before.since, now: at }),
    ]);
    const { findings, carried } = judgeHour({ hour, facts, carried: previous?.carried ?? [], ...usual, ...sync });
    const window: Window = {
      ...{ hour: start, judgedAt: at, rules: versions, eventsRead: facts.length, findings, carried },
      today: dayAfter(before, scope, start, facts),
      ended,
    };
    // Nothing follows from most hours: then one write is all.
    const isQuiet = findings.length === 0 && !isFirstOfDay(window, previous);
    return isQuiet ? { ...window, finishedAt: at } : window;
  };

  /**
   * Judges an hour, unless it was judged before: then it is never judged again, whatever events come late. An hour that
   * comes after later ones is judged by itself: nothing of it reaches into theirs.
   * @param start of the hour, which is over; epoch ms.
   * @throws whatever keeps it from being judged or finished this time.
   */
  return async (scope: string, start: number): Promise<Judged> => {
    const latest = await windows.latest(scope, start);
    if (latest?.hour === start) {
      const previous = latest.finishedAt === undefined ? await windows.latest(scope, start - HOUR_MS) : undefined;
      await finish(scope, latest, previous);
      return { window: latest, isNew: false };
    }
    // What a worker left undone of the hour before, nobody else may come to any more.
    if (latest !== undefined && latest.finishedAt === undefined) {
      await finish(scope, latest, await windows.latest(scope, latest.hour - HOUR_MS));
    }
    const evaluated = await evaluate(scope, start, latest);
    const window = await windows.put(scope, evaluated);
    await finish(scope, window, latest);
    return { window, isNew: window === evaluated };
  };
};

export type JudgeScope = ReturnType<typeof createJudgeScope>;
