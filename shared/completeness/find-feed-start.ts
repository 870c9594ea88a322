/** From when on an organization has a feed for a SIEM. Its setting does not say when it was switched on. */
import type { FeedReader } from "../archive/feed-reader.ts";
import type { Clock } from "../runtime/clock.ts";
import { HOUR_MS, startOfHour } from "../terms/hours.ts";
import { organizationIdOf } from "../terms/keys.ts";

type Dependencies = {
  /** Undefined if the deployment has no feed. */
  feed: FeedReader | undefined;
  isSwitchedOn(organizationId: string): Promise<boolean>;
  now: Clock;
};

export type FindFeedStart = ReturnType<typeof createFindFeedStart>;

/**
 * The returned function gives the hour that is known; or finds the first hour since the last day's start that has an object in
 * the feed, without one the present hour. Undefined while the feed is off. It throws DomainError `store_unavailable`.
 */
export const createFindFeedStart =
  ({ feed, isSwitchedOn, now }: Dependencies) =>
  async (scope: string, day: number, known: number | undefined): Promise<number | undefined> => {
    if (feed === undefined || !(await isSwitchedOn(organizationIdOf(scope)))) return undefined;
    if (known !== undefined) return known;
    const present = startOfHour(now());
    for (let hour = day; hour < present; hour += HOUR_MS) if ((await feed.countEvents(scope, hour)) > 0) return hour;
    return present;
  };
