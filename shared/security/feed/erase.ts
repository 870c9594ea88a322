/** What an erasure does to the objects of an organization's feed for a SIEM. docs/siem.md, "Erasure". */
import type { Clock } from "../../runtime/clock.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import type { ObjectStore } from "../../runtime/object-store.ts";
import { startOfHour } from "../../terms/hours.ts";
import { organizationKey } from "../../terms/keys.ts";
import { type DataLocation, deletedLocation, type Partition } from "../../work/location.ts";
import { timeOfEventId } from "../event-id.ts";
import { type DueHourStore, FEED_MARKS } from "./due-hour-store.ts";
import { feedKey, feedPrefix } from "./feed-hour.ts";

export type EraseFeedDependencies = {
  objects: Pick<ObjectStore, "list" | "delete">;
  dueHours: Pick<DueHourStore, "markDue" | "takeLease" | "releaseLease">;
  region: string;
  now: Clock;
  sleep: (ms: number) => Promise<unknown>;
};

/** A writer holds the lease for seconds; one that has died holds it for six minutes. */
const ATTEMPTS = 30;
const PAUSE_MS = 1_000;
/** Taking and releasing the lease takes milliseconds. */
const LEASE_MS = 30_000;

export type EraseFeed = ReturnType<typeof createEraseFeed>;

/** All calls throw DomainError `store_unavailable`. */
export const createEraseFeed = ({ objects, dueHours, region, now, sleep }: EraseFeedDependencies) => ({
  /**
   * Waits until no writer of the organization is under way. Objects that appear later have events that were read later.
   * @throws DomainError `store_unavailable` if a writer does not end; the erasure must be continued later.
   */
  async awaitWriters(scope: string): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await sleep(PAUSE_MS);
      const lease = await dueHours.takeLease(scope, now() + LEASE_MS);
      if (lease !== undefined) return dueHours.releaseLease(scope, lease);
    }
    throw new DomainError("store_unavailable", "The feed of the organization is being written.");
  },

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

/** Deletes all objects, and the marks of hours that would be written. */
export const allFeed = (feed: EraseFeed, organizationId: string, rollups: Partition): DataLocation[] => {
  const scope = organizationKey(organizationId);
  return [
    {
      ...deletedLocation({ name: "feedMarks", counter: "other" }, rollups, FEED_MARKS),
      createdAt: youngerThanAnySweep,
    },
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
