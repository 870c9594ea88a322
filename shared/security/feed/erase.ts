/** What an erasure does to the objects of an organization's feed for a SIEM. docs/siem.md, "Erasure". */
import type { ObjectStore } from "../../runtime/object-store.ts";
import { startOfHour } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { type DataLocation, deletedLocation, type Partition } from "../../work/location.ts";
import { timeOfEventId } from "../event-id.ts";
import type { AwaitWriters } from "./await-writers.ts";
import { type DueHourStore, FEED_MARKS } from "./due-hour-store.ts";
import { feedKey, feedPrefix } from "./feed-hour.ts";

export type EraseFeedDependencies = {
  objects: Pick<ObjectStore, "list" | "delete">;
  dueHours: Pick<DueHourStore, "markDue">;
  awaitWriters: AwaitWriters;
  region: string;
};

export type EraseFeed = ReturnType<typeof createEraseFeed>;

/** All calls throw DomainError `store_unavailable`. */
export const createEraseFeed = ({ objects, dueHours, awaitWriters, region }: EraseFeedDependencies) => ({
  awaitWriters,

  /** A page of the keys of all objects of an organization, in order. */
  async listKeys(scope: string, after: string | undefined): Promise<{ keys: string[]; next: string | undefined }> {
    const page = await objects.list(feedPrefix(region, scope), after);
    const keys = page.objects.map(({ key }) => key);
    return { keys, next: page.isLast ? undefined : keys.at(-1) };
  },

  keyOf: (scope: string, hour: number): string => feedKey(region, scope, hour),

  delete: (keys: readonly string[]): Promise<void> => objects.delete(keys),

  /** Deletes the objects of hours, and has them written again. */
  async rewrite(scope: string, hours: readonly number[]): Promise<void> {
    await objects.delete(hours.map((hour) => feedKey(region, scope, hour)));
    for (const hour of hours) await dueHours.markDue(scope, hour);
  },
});

/**
 * Counts the feed's objects as younger than every sweep, so that no further pass checks them. After a sweep they are clean
 * or deleted, because no writer of older events is left.
 */
const youngerThanAnySweep = (): number => Number.POSITIVE_INFINITY;

/**
 * Deletes all objects, and the marks of hours that would be written. The archive needs the marks: then these hours are
 * written with emptied events, like the present hour.
 */
export const allFeed = (
  feed: EraseFeed,
  organizationId: string,
  { rollups, hasArchive }: { rollups: Partition; hasArchive: boolean },
): DataLocation[] => {
  const scope = organizationKey(organizationId);
  const marks: DataLocation = {
    ...deletedLocation({ name: "feedMarks", counter: "other" }, rollups, FEED_MARKS),
    createdAt: youngerThanAnySweep,
  };
  return [
    ...(hasArchive ? [] : [marks]),
    {
      name: "feed",
      counter: "other",
      createdAt: youngerThanAnySweep,
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
    let after: string | undefined;
    do {
      const { keys, next } = await feed.listKeys(scope, after);
      for (const key of keys) found.add(key);
      after = next;
    } while (after !== undefined);
    return found;
  };
  return {
    name: "feed",
    counter: "other",
    createdAt: youngerThanAnySweep,
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
