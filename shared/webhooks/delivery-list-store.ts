/**
 * The list of an organization's deliveries, merged from the partitions of the index byReceipt. Its order: newest first;
 * of one millisecond by partition, and within a partition as the index has them.
 */
import * as z from "zod/mini";
import type { Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { queryFilteredPage } from "../runtime/table-query.ts";
import { WEBHOOKS_BY_RECEIPT } from "../terms/tables.ts";
import { type DeliveryPosition, type DeliveryStatus, outcomesOf, StoredDelivery, statusOf } from "./delivery.ts";
import { eventPartitions } from "./event-partitions.ts";

/** Events without an outcome are `waiting` or `failed`, which only their items tell: a page may need several rounds. */
const MAX_ROUNDS = 10;
/** Of each partition in a round: about 1 MB, at most 2. */
const MAX_UNITS = 256;

const Entry = z.object({ id: z.string(), receivedAt: z.number() });

/** `after`: exclusive. */
type Reading = { limit: number; after: DeliveryPosition | undefined; status: DeliveryStatus | undefined };

/** The filter of the index for a status. It lets through all events without an outcome if the status stands for no outcome. */
const filterOf = (status: DeliveryStatus | undefined) => {
  if (status === undefined) return { values: {} };
  const wanted = outcomesOf(status);
  if (wanted.length === 0) return { filter: "attribute_not_exists(#outcome)", values: {} };
  const values = Object.fromEntries(wanted.map((outcome, i) => [`outcome${i}`, outcome]));
  return { filter: `#outcome IN (${Object.keys(values).map((name) => `:${name}`)})`, values };
};

/** The part of a partition that comes after a position in the list. */
const rangeAfter = (scope: string, partition: number, after: DeliveryPosition | undefined) => {
  if (after === undefined) return { where: "#scope = :scope", values: { scope } };
  const { receivedAt, id } = after;
  if (partition === after.partition)
    return { where: "#scope = :scope", values: { scope }, after: { scope, receivedAt, id } };
  const comparison = partition < after.partition ? "<" : "<=";
  return { where: `#scope = :scope AND #receivedAt ${comparison} :at`, values: { scope, at: receivedAt } };
};

const compare = (a: DeliveryPosition, b: DeliveryPosition): number =>
  b.receivedAt - a.receivedAt || a.partition - b.partition;

export type DeliveryListStore = ReturnType<typeof createDeliveryListStore>;

export const createDeliveryListStore = (table: Table<"webhookEvents">) => {
  const readPartition = async (scope: string, partition: number, { limit, after, status }: Reading) => {
    const { filter, values } = filterOf(status);
    const range = rangeAfter(scope, partition, after);
    const query = { index: WEBHOOKS_BY_RECEIPT, isDescending: true, filter, ...range };
    const page = { ...query, values: { ...range.values, ...values } };
    const { items, last } = await queryFilteredPage(table, page, limit, MAX_UNITS);
    const entries = items.map((item) => ({ ...Entry.parse(item), partition }));
    return { entries, last: last && { ...Entry.parse(last), partition } };
  };

  /** At most `limit` entries of all partitions, in order, and the position after which more may come. */
  const readEntries = async (scopes: readonly string[], { limit, ...reading }: Reading) => {
    // Events spread evenly, so half of the page from each of the partitions is mostly enough.
    const each = { ...reading, limit: Math.ceil(limit / 2) };
    const pages = await Promise.all(scopes.map((scope, partition) => readPartition(scope, partition, each)));
    // Beyond the end of the page that ends first, the other partitions may have entries between those that were read.
    const [end] = pages.flatMap(({ last }) => last ?? []).sort(compare);
    const entries = pages
      .flatMap((page) => page.entries)
      .sort(compare)
      .filter((entry) => end === undefined || compare(entry, end) <= 0);
    return entries.length > limit
      ? { entries: entries.slice(0, limit), last: entries[limit - 1] }
      : { entries, last: end };
  };

  /** The events of entries, in their order, without those that have gone. */
  const readEvents = async (scopes: readonly string[], entries: readonly DeliveryPosition[], now: number) => {
    const keys = entries.map(({ partition, id }) => ({ scope: scopes[partition] ?? "", id }));
    const { items } = await getItems(table, keys);
    const found = new Map(items.map((item) => StoredDelivery.parse(item)).map((stored) => [stored.id, stored]));
    return entries.flatMap((position) => {
      const stored = found.get(position.id);
      return stored === undefined || stored.ttl * 1_000 <= now ? [] : [{ stored, position }];
    });
  };

  return {
    /**
     * A page of an organization's deliveries, newest first. Half a read unit for each of the four partitions, half of one
     * for each further 8 KB of the index, and per 4 KB of each delivery. May lag by a second. A page may be short, or even
     * empty, with more to come.
     * @param page.now epoch ms.
     * @throws DomainError `store_unavailable`.
     */
    async list(
      organizationId: string,
      page: { limit: number; after: DeliveryPosition | undefined; status?: DeliveryStatus | undefined; now: number },
    ): Promise<{ items: (StoredDelivery & DeliveryPosition)[]; next: DeliveryPosition | undefined }> {
      const { limit, status, now } = page;
      const scopes = eventPartitions(organizationId);
      const found: Awaited<ReturnType<typeof readEvents>> = [];
      let { after } = page;
      for (let round = 0; round < MAX_ROUNDS && found.length < limit; round++) {
        // Without a status, each entry is shown, unless its event has gone.
        const wanted = status === undefined ? limit - found.length : limit;
        const { entries, last } = await readEntries(scopes, { limit: wanted, after, status });
        const events = await readEvents(scopes, entries, now);
        found.push(...events.filter(({ stored }) => status === undefined || statusOf(stored, now) === status));
        after = last;
        if (last === undefined) break;
      }
      const shown = found.slice(0, limit);
      return {
        items: shown.map(({ stored, position: { partition } }) => ({ ...stored, partition })),
        next: found.length > limit ? shown.at(-1)?.position : after,
      };
    },
  };
};
