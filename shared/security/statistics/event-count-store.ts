import * as z from "zod/mini";
import type { Table } from "../../runtime/table.ts";
import { getItems } from "../../runtime/table-batches.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { riskLevels } from "../../terms/risk-levels.ts";
import { firstIdAt, lastIdAt, timeOfEventId } from "../event-id.ts";
import { type FilterName, idsOf, isOfDrill, planRead, type Selection } from "../event-item.ts";
import { categories, sources } from "../security-event.ts";
import { type CountedIntervals, createIntervalTally, createTally } from "./counters.ts";
import type { Rollup } from "./rollup-store.ts";

/** The fields that counting needs. The event table and all its indexes have them. `ttl`: epoch seconds. */
const CountedItem = z.object({
  id: z.string(),
  eventType: z.string(),
  category: z.enum(categories),
  riskLevel: z.enum(riskLevels),
  success: z.boolean(),
  ms: z.optional(z.number()),
  ttl: z.number(),
});
type CountedItem = z.output<typeof CountedItem>;

const countedFields = Object.keys(CountedItem.shape);

/** Fields of filters that some indexes do not hold. */
const LateItem = z.object({
  id: z.string(),
  userId: z.optional(z.string()),
  processed: z.boolean(),
  source: z.enum(sources),
  ipAddress: z.optional(z.string()),
});

const matches = (item: object, selection: Selection, filters: readonly FilterName[]): boolean =>
  filters.every((name) => selection[name] === Reflect.get(item, name));

export type EventCountStore = ReturnType<typeof createEventCountStore>;

/** Counts the events of the event table, but not those of drills. All calls throw DomainError `store_unavailable`. */
export const createEventCountStore = (table: Table<"securityEvents">) => ({
  /**
   * Counts the events of a partition from a time (inclusive) to another (exclusive), both epoch ms, that have not expired
   * at `now`. Half a read unit per 4 KB of events, one if `strongly` consistent.
   * @returns undefined if there are no events.
   */
  async countRange(
    scope: string,
    { from, to }: { from: number; to: number },
    { now, strongly = false }: { now: number; strongly?: boolean },
  ): Promise<Rollup | undefined> {
    const tally = createTally();
    const expiries = new Set<number>();
    const pages = queryPages(table, {
      where: "#scope = :scope AND #id BETWEEN :first AND :last",
      values: { scope, first: firstIdAt(from), last: lastIdAt(to - 1) },
      attributes: countedFields,
      isConsistent: strongly,
    });
    for await (const page of pages) {
      for (const item of page) {
        const event = CountedItem.parse(item);
        if (event.ttl * 1_000 <= now || isOfDrill(event)) continue;
        tally.add(event);
        expiries.add(event.ttl);
      }
    }
    if (expiries.size === 0) return undefined;
    return { counters: tally.counters(), exactUntil: Math.min(...expiries), expiresAt: Math.max(...expiries) };
  },
});

export type SelectionCountStore = ReturnType<typeof createSelectionCountStore>;

/** Counts the events of a selection one by one, but not those of drills. All calls throw DomainError `store_unavailable`. */
export const createSelectionCountStore = (table: Table<"securityEvents">) => ({
  /**
   * Counts a selection event by event, from its most selective index: half a read unit per 4 KB, and half a unit per
   * event for fields that only the table has.
   * @param limits.max the most unexpired events to read in the index. `now`: epoch ms. `intervalMs` as in counters.ts.
   * @returns undefined if more events would have to be read.
   */
  async count(
    selection: Selection,
    { max, now, intervalMs }: { max: number; now: number; intervalMs?: number | undefined },
  ): Promise<CountedIntervals | undefined> {
    const { index, scope, keyName, keyValue, filters, lateFilters } = planRead(selection);
    const pages = queryPages(table, {
      index,
      where: `#${keyName} = :key AND #id BETWEEN :first AND :last`,
      values: { key: keyValue, ...idsOf(selection) },
      attributes: [...new Set([...countedFields, ...filters])],
    });
    let events: CountedItem[] = [];
    let read = 0;
    for await (const page of pages) {
      for (const item of page) {
        const event = CountedItem.parse(item);
        if (event.ttl * 1_000 <= now || isOfDrill(event)) continue;
        if (++read > max) return undefined;
        if (matches(item, selection, filters)) events.push(event);
      }
    }
    if (lateFilters.length > 0) {
      const keys = events.map(({ id }) => ({ scope, id }));
      const { items } = await getItems(table, keys, { attributes: Object.keys(LateItem.shape) });
      const late = new Map(items.map((item) => LateItem.parse(item)).map((item) => [item.id, item]));
      // An event that was deleted since the index was read has no late fields and matches no filter.
      events = events.filter(({ id }) => matches(late.get(id) ?? {}, selection, lateFilters));
    }
    const tally = createIntervalTally(intervalMs);
    for (const event of events) tally.at(timeOfEventId(event.id) ?? 0).add(event);
    return tally.intervals();
  },
});
