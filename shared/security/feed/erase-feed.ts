/** What an erasure needs of the feed: the objects of an organization, and to have hours written again. docs/siem.md. */
import type { Clock } from "../../runtime/clock.ts";
import { DomainError } from "../../runtime/domain-error.ts";
import type { ObjectStore } from "../../runtime/object-store.ts";
import type { DueHourStore } from "./due-hour-store.ts";
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
