import type { Activity } from "./activity.ts";
import type { Clock } from "./clock.ts";
import type { Due, Schedules } from "./schedules.ts";

const DAY_MS = 86_400_000;

/** Where the clock stands now, and what fired on the way, in order of time. Epoch milliseconds. */
export type Advanced = { now: number; fired: Due[] };

/** What waits for a time of its own: messages to be delivered again, webhooks to be sent again. */
export type Poller = {
  /** Epoch milliseconds; undefined where nothing waits. */
  nextDueAt(): number | undefined;
  poll(): void;
};

/** Moves the clock on by so many milliseconds; one call after another. Rejects when the local cloud stops meanwhile. */
export type AdvanceClock = (ms: number) => Promise<Advanced>;

/**
 * Moves step by step to each due schedule and each thing that waits to be polled again, in order of time, and goes on
 * when all that it caused has finished.
 * Expired items are swept once per simulated day and at the end. Never moves while anything is under way.
 */
export const createAdvanceClock = (options: {
  clock: Clock;
  activity: Pick<Activity, "idle" | "quiesce">;
  schedules: Schedules;
  pollers: readonly Poller[];
  sweepExpired: (nowMs: number) => Promise<void>;
  stopping: AbortSignal;
}): AdvanceClock => {
  const { clock, activity, schedules, pollers, sweepExpired, stopping } = options;
  const moveTo = (epochMs: number) => activity.quiesce(() => clock.moveTo(epochMs));

  const advance = async (ms: number): Promise<Advanced> => {
    const target = clock.now() + ms;
    const fired: Due[] = [];
    let sweepAt = clock.now() + DAY_MS;
    for (;;) {
      stopping.throwIfAborted();
      const due = schedules.nextDue(target);
      const pollAt = Math.min(...pollers.map((poller) => poller.nextDueAt() ?? Number.POSITIVE_INFINITY));
      const step = Math.min(due?.at ?? target, pollAt, sweepAt, target);
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
        if (step === target) return { now: clock.now(), fired };
      }
    }
  };

  let last: Promise<unknown> = Promise.resolve();
  return (ms) => {
    const result = last.then(async () => {
      schedules.pause();
      try {
        return await advance(ms);
      } finally {
        schedules.resume();
      }
    });
    last = result.catch(() => {});
    return result;
  };
};
