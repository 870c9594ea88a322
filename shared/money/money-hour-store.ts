/**
 * What the rules over money read and keep, in the table Detection; partition key `scope` (the organization's).
 *
 * - `money#hour#<hour>`: the counts of an hour when it was judged last, those that are not 0, and the findings `raised`.
 */
import * as z from "zod/mini";
import { MoneyFact } from "../provider/money-fact.ts";
import { getItem, type Table, updateItem } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { hourName, timeOfName } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { createHourTally, HourCounts } from "./money-counts.ts";
import { eventsOfHour, ttlOf } from "./money-store.ts";

const HOUR_PREFIX = "money#hour#";

const HourItem = z.object({ key: z.string(), counts: HourCounts });
const RaisedItem = z.object({ raised: z._default(z.array(z.string()), []) });

const onlyCounted = (counts: HourCounts) =>
  Object.fromEntries(
    Object.entries(counts).filter(([, value]) =>
      typeof value === "number" ? value > 0 : Object.keys(value).length > 0,
    ),
  );

/** Grows with the events of an hour, and never shrinks. */
const totalOf = ({ succeeded, failed, refunds, disputes }: HourCounts): number =>
  succeeded + failed + refunds + disputes;

const hourKey = (organizationId: string, hour: number) => ({
  scope: organizationKey(organizationId),
  key: HOUR_PREFIX + hourName(hour),
});

export type MoneyHourStore = ReturnType<typeof createMoneyHourStore>;

/** All calls throw DomainError `store_unavailable`. */
export const createMoneyHourStore = (table: Table<"detection">) => ({
  /** Counts the stored events of an hour, strongly consistent: a read unit for some 20 events. @param hour epoch ms. */
  async tally(organizationId: string, hour: number): Promise<HourCounts> {
    const tally = createHourTally();
    const pages = queryPages(table, {
      where: "#scope = :scope AND begins_with(#key, :hour)",
      values: { scope: organizationKey(organizationId), hour: eventsOfHour(hour) },
      isConsistent: true,
    });
    for await (const page of pages) tally.add(page.map((item) => MoneyFact.parse(item)));
    return tally.counts();
  },

  /** The names of the findings of an hour that were raised; a read unit. @param hour epoch ms. */
  async raised(organizationId: string, hour: number): Promise<string[]> {
    const item = await getItem(table, hourKey(organizationId, hour), { attributes: ["raised"] });
    return RaisedItem.parse(item ?? {}).raised;
  },

  /** Keeps an hour's counts, unless larger ones are kept; a write unit. @param hour epoch ms. @param raised names of findings. */
  async keep(organizationId: string, hour: number, counts: HourCounts, raised: readonly string[] = []): Promise<void> {
    const total = totalOf(counts);
    await updateItem(table, hourKey(organizationId, hour), {
      set: { counts: onlyCounted(counts), total, ttl: ttlOf(hour), ...(raised.length > 0 && { raised }) },
      condition: "attribute_not_exists(#total) OR #total <= :total",
      values: { total },
    });
  },

  /** The kept hours of a time, by their start; all times epoch ms, `to` exclusive. Half a read unit for some 40 hours. */
  async readHours(
    organizationId: string,
    { from, to }: { from: number; to: number },
  ): Promise<Map<number, HourCounts>> {
    const pages = queryPages(table, {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: {
        scope: organizationKey(organizationId),
        first: HOUR_PREFIX + hourName(from),
        last: HOUR_PREFIX + hourName(to - 1),
      },
    });
    const hours = new Map<number, HourCounts>();
    for await (const page of pages) {
      for (const item of page) {
        const { key, counts } = HourItem.parse(item);
        hours.set(timeOfName(key.slice(HOUR_PREFIX.length)), counts);
      }
    }
    return hours;
  },
});
