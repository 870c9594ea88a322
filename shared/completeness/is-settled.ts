/**
 * Whether all work on the hours of a day has been done. An event that comes late, or an erasure, has its hour closed, sealed,
 * archived and fed again, which takes up to an hour: until then the numbers of the hour differ, and nothing is wrong.
 */
import type { Clock } from "../runtime/clock.ts";
import type { DueSealStore } from "../sealing/due-seal-store.ts";
import type { DueHourStore } from "../security/feed/due-hour-store.ts";
import type { OpenHourStore } from "../security/statistics/open-hour-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import { SETTLED_AFTER_MS } from "./day-sums.ts";

export type IsSettledDependencies = {
  openHours: Pick<OpenHourStore, "list">;
  dueSeals: Pick<DueSealStore, "listMarkTimes">;
  /** Undefined if the deployment has neither an archive nor a feed. */
  dueHours?: Pick<DueHourStore, "listMarkTimes"> | undefined;
  now: Clock;
};

export type IsSettled = ReturnType<typeof createIsSettled>;

/**
 * The returned function is to be called after the day was read: a mark is made before the event is stored, and the next mark
 * before one is cleared. A mark that nobody has dealt with for three hours excuses nothing. Three read units. It throws
 * DomainError `store_unavailable`.
 */
export const createIsSettled =
  ({ openHours, dueSeals, dueHours, now }: IsSettledDependencies) =>
  async (scope: string, day: number): Promise<boolean> => {
    const span = { from: day, to: day + DAY_MS };
    const [open, ...marked] = await Promise.all([
      openHours.list(scope, day),
      dueSeals.listMarkTimes(scope, span),
      dueHours?.listMarkTimes(scope, span),
    ]);
    const isOpen = open.some((hour) => hour < span.to);
    return !isOpen && marked.every((times) => times?.every((time) => time + SETTLED_AFTER_MS <= now()) ?? true);
  };
