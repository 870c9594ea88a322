import type { Table } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { HOUR_MS } from "../../terms/hours.ts";
import { firstIdAt, lastIdAt } from "../event-id.ts";
import { fromItem, type StoredSeal, sealOf } from "../event-item.ts";
import type { SecurityEvent } from "../security-event.ts";

/** Decoding a page occupies the thread, and eight hours are read at once: each page's time-out counts the others' decoding. */
const EVENTS_PER_PAGE = 500;

/** An event as it is stored: as the API returns it, what its leaf needs, and when the table loses it, epoch ms. */
export type HourEvent = { event: SecurityEvent; seal: StoredSeal; expiresAt: number };

export type HourEventsStore = ReturnType<typeof createHourEventsStore>;

/** The whole events of an hour, but not those of drills. The call throws DomainError `store_unavailable`. */
export const createHourEventsStore = (table: Table<"securityEvents">) => ({
  /**
   * The unexpired events of a partition in an hour, but those of drills, in order of their ids, a page of at most 500 at a
   * time. Read strongly consistent: a read unit per 4 KB.
   * @param hour its start, epoch ms. @param now epoch ms.
   */
  async *read(scope: string, hour: number, now: number): AsyncGenerator<HourEvent, void, void> {
    const query = {
      where: "#scope = :scope AND #id BETWEEN :first AND :last",
      filter: "#ttl > :now AND attribute_not_exists(#drill)",
      values: { scope, first: firstIdAt(hour), last: lastIdAt(hour + HOUR_MS - 1), now: Math.floor(now / 1_000) },
      isConsistent: true,
    };
    for await (const page of queryPages(table, query, EVENTS_PER_PAGE))
      yield* page.map((item) => ({ event: fromItem(item), seal: sealOf(item), expiresAt: Number(item.ttl) * 1_000 }));
  },
});
