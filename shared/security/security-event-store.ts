import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { chunksOf } from "../runtime/chunks.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { getItem, type Item, putItem, type Table, updateItem } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryOnce } from "../runtime/table-query.ts";
import { organizationKey } from "../terms/keys.ts";
import { timeOfEventId } from "./event-id.ts";
import {
  type EventItemKey,
  type EventSeal,
  fromItem,
  idsOf,
  planHighRiskRead,
  planRead,
  type ReadPlan,
  type Selection,
  type StoredCount,
  storedCountOf,
  toItem,
} from "./event-item.ts";
import type { SecurityEvent } from "./security-event.ts";

/** An event, its expiry in epoch seconds, and what its leaf needs; events without an organization have no leaf. */
export type StoredEvent = { event: SecurityEvent; ttl: number; seal?: EventSeal | undefined };

/** The ids of events to mark as processed, by outcome; each id is in one list. */
export type MarkResult = { processed: string[]; alreadyProcessed: string[]; notFound: string[] };

/** 4 MB, read eventually consistent at half a unit per 4 KB. */
const READ_UNITS_PER_REQUEST = 512;
/** The high-risk events of a page may use a quarter of a request's units, half of it per level. */
const READ_UNITS_PER_HIGH_LEVEL = READ_UNITS_PER_REQUEST / 8;
const MAX_ITEMS_PER_QUERY = 1_000;
const MARKS_AT_ONCE = 10;

const EventKey = z.object({ scope: z.string(), id: z.string() });

/** `after`: the id of the last event of the previous page. `now`: epoch ms; events expired by then are left out. */
type PageOptions = { limit: number; after?: string | undefined; now: number };

export type SecurityEventStore = ReturnType<typeof createSecurityEventStore>;

/**
 * The security events of all organizations. Partition key `scope`, sort key `id`; for the sparse indexes see
 * event-item.ts. All calls throw DomainError `store_unavailable` if the table does not answer.
 */
export const createSecurityEventStore = (table: Table<"securityEvents">) => {
  const queryOf = ({ index, keyName, keyValue, filters }: ReadPlan, selection: Selection, now: number) => ({
    index,
    where: `#${keyName} = :key AND #id BETWEEN :first AND :last`,
    filter: ["#ttl > :now", ...filters.map((name) => `#${name} = :${name}`)].join(" AND "),
    values: {
      key: keyValue,
      ...idsOf(selection),
      now: Math.floor(now / 1000),
      ...Object.fromEntries(filters.map((name) => [name, selection[name]])),
    },
    isDescending: true,
  });

  /** The whole items of an index's entries, in their order, without those that have been deleted since. */
  const fetchWhole = async (entries: readonly Item[]) => {
    const { items, units } = await getItems(
      table,
      entries.map((entry) => EventKey.parse(entry)),
    );
    const byId = new Map(items.map((item) => [item.id, item]));
    return { items: entries.map(({ id }) => byId.get(id)).filter((item) => item !== undefined), units };
  };

  /**
   * Reads a page by a plan. The first query asks for the items of the page; while filters leave too few, each further
   * query asks for twice as many. So a page costs at most twice what it returns.
   * @param maxUnits a page that has cost this many read units ends early, with a next page.
   */
  const readPage = async (
    plan: ReadPlan,
    selection: Selection,
    { limit, after, now }: PageOptions,
    maxUnits = READ_UNITS_PER_REQUEST,
  ): Promise<{ events: SecurityEvent[]; next: string | undefined }> => {
    const query = queryOf(plan, selection, now);
    const events: SecurityEvent[] = [];
    let units = 0;
    let last = after;
    for (let size = limit + 1; ; size = Math.min(size * 2, MAX_ITEMS_PER_QUERY)) {
      const start = last === undefined ? undefined : { scope: plan.scope, id: last, [plan.keyName]: plan.keyValue };
      const page = await queryOnce(table, { ...query, after: start }, { limit: size });
      const whole = plan.isWhole ? { items: page.items, units: 0 } : await fetchWhole(page.items);
      units += (page.units ?? 0) + whole.units;
      const matching = whole.items.filter((item) => plan.lateFilters.every((name) => item[name] === selection[name]));
      events.push(...matching.map(fromItem));
      if (events.length > limit) return { events: events.slice(0, limit), next: events[limit - 1]?.id };
      if (page.next === undefined) return { events, next: undefined };
      last = String(page.next.id);
      if (units >= maxUnits) return { events, next: last };
    }
  };

  const mark = async (organizationId: string, id: string, now: number, isKeyed: boolean): Promise<keyof MarkResult> => {
    if (timeOfEventId(id) === undefined) return "notFound";
    const result = await updateItem(
      table,
      { scope: organizationKey(organizationId), id },
      {
        set: { processed: true, processedAt: now },
        remove: ["openKey"],
        condition: "#processed = :unprocessed AND #ttl > :seconds",
        values: { unprocessed: false, seconds: Math.floor(now / 1000) },
      },
    );
    if (result.written) return "processed";
    const { processed, processedAt, ttl } = result.item ?? {};
    if (processed !== true || Number(ttl ?? 0) * 1000 <= now) return "notFound";
    // An earlier attempt of this call or request may have marked the event and lost its answer.
    return processedAt === now && (result.isRepeated || isKeyed) ? "processed" : "alreadyProcessed";
  };

  return {
    /** Writes an event; a further event of the same id changes nothing. One write unit, and one per index. */
    async put({ event, ttl, seal }: StoredEvent): Promise<void> {
      await putItem(table, toItem(event, ttl, seal), { condition: "attribute_not_exists(#id)" });
    },

    /**
     * Adds refusals to a count of the current hour, because an event of a past hour may be sealed; three write units, or one if the change is refused. One more if another instance has added
     * later refusals: `lastAt` never goes back. If the answer was lost, they may be counted twice.
     * @param added `lastAt`: the last of them, epoch ms.
     * @param change if given, the growing parts of the item become `next`, if they are still `known`.
     * @returns the item after it, if it is stored. `isAdded`: false if `known` differs from the item.
     */
    async addToCount(
      key: EventItemKey,
      { failures, lastAt }: { failures: number; lastAt: number },
      change?: { known: StoredCount; next: StoredCount },
    ): Promise<{ isAdded: boolean; stored: StoredCount | undefined }> {
      const isKnown = "#metadata = :knownMetadata AND #users = :knownUsers";
      const isLater = "(attribute_not_exists(#lastAt) OR #lastAt <= :lastAt)";
      const known = change && { knownMetadata: change.known.metadata ?? "", knownUsers: change.known.users };
      const add = (isLast: boolean) =>
        updateItem(table, key, {
          add: { failures },
          set: { ...change?.next, ...definedFields({ lastAt: isLast ? lastAt : undefined }) },
          condition: ["attribute_exists(#id)", change && isKnown, isLast && isLater].filter(Boolean).join(" AND "),
          values: { ...known, ...definedFields({ lastAt: isLast ? lastAt : undefined }) },
          returns: "after",
        });
      let { written, item } = await add(true);
      if (!written && Number(item?.lastAt ?? 0) > lastAt) ({ written, item } = await add(false));
      return {
        isAdded: written,
        stored: item === undefined || item.id === undefined ? undefined : storedCountOf(item),
      };
    },

    /**
     * An organization's event; a read unit per 4 KB.
     * @throws DomainError `event_not_found` if it is unknown or expired
     */
    async get(organizationId: string, id: string, now: number): Promise<SecurityEvent> {
      const key = { scope: organizationKey(organizationId), id };
      const item = timeOfEventId(id) === undefined ? undefined : await getItem(table, key);
      if (item === undefined || Number(item.ttl) * 1000 <= now) {
        throw new DomainError("event_not_found", "There is no such security event.");
      }
      return fromItem(item);
    },

    /** The stored events of these ids, in no order, read strongly: a read unit per 4 KB. */
    async readStored(organizationId: string, ids: readonly string[]): Promise<SecurityEvent[]> {
      const scope = organizationKey(organizationId);
      const keys = ids.map((id) => ({ scope, id }));
      return (await getItems(table, keys, { isConsistent: true })).items.map(fromItem);
    },

    /**
     * A page of a selection, newest event first, from its most selective index. It reads at most 4 MB, so it may be
     * shorter than `limit` and still have a next page.
     */
    list: (selection: Selection, options: PageOptions) => readPage(planRead(selection), selection, options),

    /** The newest HIGH and CRITICAL events of a selection, at most `limit`. */
    async listHighRisk(selection: Selection, options: PageOptions): Promise<SecurityEvent[]> {
      const levels = (["HIGH", "CRITICAL"] as const).filter(
        (level) => selection.riskLevel === undefined || selection.riskLevel === level,
      );
      const pages = await Promise.all(
        levels.map((level) =>
          readPage(planHighRiskRead(selection, level), selection, options, READ_UNITS_PER_HIGH_LEVEL),
        ),
      );
      return pages
        .flatMap(({ events }) => events)
        .sort((a, b) => (a.id < b.id ? 1 : -1))
        .slice(0, options.limit);
    },

    /**
     * Marks events of an organization as processed: one write unit each, three above LOW. Ids without an unexpired event
     * of the organization are `notFound`.
     * @param request.isKeyed whether another attempt of the same request, with the same time, may have marked them.
     */
    async markProcessed(
      organizationId: string,
      ids: readonly string[],
      now: number,
      { isKeyed = false } = {},
    ): Promise<MarkResult> {
      const result: MarkResult = { processed: [], alreadyProcessed: [], notFound: [] };
      for (const chunk of chunksOf([...new Set(ids)], MARKS_AT_ONCE)) {
        const outcomes = await Promise.all(chunk.map((id) => mark(organizationId, id, now, isKeyed)));
        for (const [i, id] of chunk.entries()) result[outcomes[i] ?? "notFound"].push(id);
      }
      return result;
    },
  };
};
