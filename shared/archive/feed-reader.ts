/** Counts what the feed for a SIEM has. docs/siem.md. */
import type { ObjectStore } from "../runtime/object-store.ts";
import { feedKey } from "../security/feed/feed-hour.ts";
import { countLines } from "./line-file.ts";

export type FeedReader = ReturnType<typeof createFeedReader>;

export const createFeedReader = (objects: Pick<ObjectStore, "read">, region: string) => ({
  /**
   * The number of events in the object of an hour; 0 without one. One read of S3.
   * @param hour its start, epoch ms. @throws DomainError `store_unavailable`.
   */
  async countEvents(scope: string, hour: number): Promise<number> {
    const body = await objects.read(feedKey(region, scope, hour));
    return body === undefined ? 0 : countLines(body);
  },
});
