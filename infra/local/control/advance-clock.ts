import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { Due, Schedules } from "../schedules/schedules.ts";
import type { DayTally } from "./day-tally.ts";

const DAY_MS = 86_400_000;

/** The clock after the move, and the firings on the way in order of time. Epoch milliseconds. */
export type Advanced = { now: number; fired: Due[] };

/** Delivers work that is due at a certain time: messages that become visible, webhooks that are retried. */
export type Poller = {
  /** Epoch milliseconds; undefined if nothing waits. */
  nextDueAt(): number | undefined;
  poll(): void;
};

/**
 * Which firings of a schedule happen while the clock moves: `each` of them at its own time, or only the `last`.
 * With `last`, every schedule that falls due in the span fires once, at the end of the span, the rarest one first.
 */
export type Firing = "each" | "last";

/**
 * Moves the clock forward by `ms`. Calls run one after another.
 * Rejects if the local cloud stops before the end.
 */
export type AdvanceClock = (ms: number, firing?: Firing) => Promise<Advanced>;

/**
 * Moves step by step to each firing of a schedule and each message that becomes visible, in order of time. Each step
 * waits until everything that the previous one caused has finished, so the clock never moves during an invocation.
 * Expired items are swept at the end; with all firings also once per simulated day.
 */
export const createAdvanceClock = (options: {
  clock: Clock;
  activity: Pick<Activity, "idle" | "quiesce">;
  schedules: Schedules;
  pollers: readonly Poller[];
  sweepExpired: (nowMs: number) => Promise<void>;
  stopping: AbortSignal;
  /** Sums up each day over which the clock moves. */
  tally?: Pick<DayTally, "begin" | "moveTo" | "end">;
}): AdvanceClock => {
  const { clock, activity, schedules, pollers, sweepExpired, stopping, tally } = options;
  const moveTo = (epochMs: number) => activity.quiesce(() => clock.moveTo(epochMs));

  const advance = async (ms: number, firing: Firing): Promise<Advanced> => {
    const target = clock.now() + ms;
    const nextFiring = (): Due | undefined => {
      if (firing === "each") return schedules.nextDue(target);
      // An hourly check, such as the one for lost syncs, looks at what a rarer schedule has begun.
      const due = schedules.rarestDue(target);
      return due && { ...due, at: target };
    };
    const fired: Due[] = [];
    tally?.begin(clock.now());
    // Pollers name only what becomes due later. What became due since the last call is polled first.
    for (const poller of pollers) poller.poll();
    await activity.idle();
    let sweepAt = firing === "last" ? target : clock.now() + DAY_MS;
    for (;;) {
      stopping.throwIfAborted();
      const due = nextFiring();
      const pollAt = Math.min(...pollers.map((poller) => poller.nextDueAt() ?? Number.POSITIVE_INFINITY));
      const step = Math.min(due?.at ?? target, pollAt, sweepAt, target);
      tally?.moveTo(step);
      await moveTo(step);
      if (due && due.at <= step) {
        await schedules.fireDue(due);
        await activity.idle();
        fired.push(due);
      } else if (pollAt <= step) {
        for (const poller of pollers) poller.poll();
        await activity.idle();
      } else {
        await sweepExpired(step);
        sweepAt = step + DAY_MS;
        if (step < target) continue;
        tally?.end(clock.now());
        return { now: clock.now(), fired };
      }
    }
  };

  let last: Promise<unknown> = Promise.resolve();
  return (ms, firing = "each") => {
    const result = last.then(async () => {
      schedules.pause();
      try {
        return await advance(ms, firing);
      } finally {
        schedules.resume();
      }
    });
    last = result.catch(() => {});
    return result;
  };
};
