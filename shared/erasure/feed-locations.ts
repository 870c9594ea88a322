/** The objects of an organization's feed for a SIEM (shared/security/feed/). Swept after the events. docs/siem.md, "Erasure". */
import { timeOfEventId } from "../security/event-id.ts";
import { FEED_MARKS } from "../security/feed/due-hour-store.ts";
import type { EraseFeed } from "../security/feed/erase-feed.ts";
import { startOfHour } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { type DataLocation, deletedLocation, type Partition } from "./location.ts";

/** An object is clean or deleted after its sweep, because no writer of older events is left. No further pass has to check. */
const youngerThanAnySweep = (): number => Number.POSITIVE_INFINITY;

/** Deletes all objects, and the marks of hours that would be written. */
export const allFeed = (
  feed: EraseFeed,
  organizationId: string,
  { rollups }: { rollups: Partition },
): DataLocation[] => {
  const scope = organizationKey(organizationId);
  return [
    {
      ...deletedLocation({ name: "feedMarks", counter: "other" }, rollups, FEED_MARKS),
      createdAt: youngerThanAnySweep,
    },
    {
      ...{ name: "feed", counter: "other", createdAt: youngerThanAnySweep },
      read: async (after) => {
        if (after === undefined) await feed.awaitWriters(scope);
        const { keys, next } = await feed.listKeys(scope, after);
        return { keys, next, erase: () => feed.delete(keys) };
      },
    },
  ];
};

/** Deletes the objects of hours with events that this erasure has emptied, and has these hours written again. */
export const feedOfUser = (
  feed: EraseFeed,
  organizationId: string,
  { events, erasureId }: { events: Partition; erasureId: string },
): DataLocation => {
  const scope = organizationKey(organizationId);
  let existing: Set<string> | undefined;
  const listExisting = async (): Promise<Set<string>> => {
    await feed.awaitWriters(scope);
    const found = new Set<string>();
    for (let after: string | undefined; ; ) {
      const { keys, next } = await feed.listKeys(scope, after);
      for (const key of keys) found.add(key);
      if (next === undefined) return found;
      after = next;
    }
  };
  return {
    ...{ name: "feed", counter: "other", createdAt: youngerThanAnySweep },
    read: async (after) => {
      if (after === undefined || existing === undefined) existing = await listExisting();
      const objects = existing;
      const { items, next } = await events.read(after, {
        attributes: [],
        filter: { condition: "#erasure = :erasure", values: { erasure: erasureId } },
      });
      const emptied = new Set(items.map(({ sortKey }) => startOfHour(timeOfEventId(sortKey) ?? 0)));
      const hours = [...emptied].filter((hour) => objects.has(feed.keyOf(scope, hour)));
      return {
        keys: hours.map((hour) => feed.keyOf(scope, hour)),
        next,
        erase: () => feed.rewrite(scope, hours),
      };
    },
  };
};
