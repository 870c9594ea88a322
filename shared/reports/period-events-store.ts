import * as z from "zod/mini";
import type { Table } from "../runtime/table.ts";
import { countItems, queryPages } from "../runtime/table-query.ts";
import { firstIdAt } from "../security/event-id.ts";
import { fromItem, isOfDrill } from "../security/event-item.ts";
import type { SecurityEvent } from "../security/security-event.ts";
import { organizationKey, partKey } from "../terms/keys.ts";
import { EVENTS_BY_RISK } from "../terms/tables.ts";

const Expiring = z.object({ ttl: z.number() });
const Oldest = z.object({ timestamp: z.number(), ttl: z.number() });

type Span = { from: number; to: number };

/** More than a drill has. */
const OLDEST_PER_PAGE = 8;

export type PeriodEventsStore = ReturnType<typeof createPeriodEventsStore>;

/** The reads of the event table that reports need. Events of drills are left out. Times in epoch ms. All throw DomainError `store_unavailable`. */
export const createPeriodEventsStore = (table: Table<"securityEvents">) => ({
  /**
   * An organization's unexpired events of a span, in order: half a read unit per 4 KB. A report of access needs all
   * events: statistics do not contain users, and only the index by user contains reads.
   */
  async *read(organizationId: string, { from, to }: Span, now: number): AsyncGenerator<SecurityEvent, void, void> {
    const pages = queryPages(table, {
      where: "#scope = :scope AND #id BETWEEN :first AND :next",
      // The least id of the next span is not an event's: the random part of an id is never all zeros.
      values: { scope: organizationKey(organizationId), first: firstIdAt(from), next: firstIdAt(to) },
    });
    for await (const page of pages) {
      for (const item of page) {
        if (Expiring.parse(item).ttl * 1_000 > now && !isOfDrill(item)) yield fromItem(item);
      }
    }
  },

  /**
   * How many HIGH and CRITICAL events from before a time were unprocessed at that time. Reads all stored events of these
   * levels, half a read unit per 4 KB.
   */
  async countUnprocessed(organizationId: string, at: number, now: number): Promise<number> {
    let count = 0;
    for (const level of ["HIGH", "CRITICAL"]) {
      const counts = await countItems(table, {
        index: EVENTS_BY_RISK,
        where: `#${EVENTS_BY_RISK.partitionKey} = :risk AND #id < :next`,
        filter: "#ttl > :now AND (#processed = :false OR #processedAt >= :at)",
        values: {
          risk: partKey(organizationKey(organizationId), level),
          next: firstIdAt(at),
          now: Math.floor(now / 1_000),
          false: false,
          at,
        },
      });
      count += counts.filtered;
    }
    return count;
  },

  /** The oldest stored event, expired or not: two read units, and more only if the oldest are of drills. */
  async oldest(organizationId: string): Promise<{ timestamp: number; expiresAt: number } | undefined> {
    const query = { where: "#scope = :scope", values: { scope: organizationKey(organizationId) } };
    for await (const page of queryPages(table, query, OLDEST_PER_PAGE)) {
      const item = page.find((one) => !isOfDrill(one));
      if (item === undefined) continue;
      const { timestamp, ttl } = Oldest.parse(item);
      return { timestamp, expiresAt: ttl * 1_000 };
    }
    return undefined;
  },
});
