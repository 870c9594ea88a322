/**
 * The counted events of money, in the table Detection; partition key `scope` (the organization's).
 *
 * - `money#event#<hour>#<id>`: an event that was counted, with its facts; so it is counted once.
 * - `money#day#<day>#<shard>`: a part of the day's counts. Several parts, because concurrent transactions on one item
 *   refuse each other. `failed`, `refunds`, … are numbers, `amount_<currency>` the sum of the refunds.
 */
import * as z from "zod/mini";
import type { MoneyFact } from "../provider/money-fact.ts";
import { chunksOf } from "../runtime/chunks.ts";
import type { Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { DAY_MS, dayName, hourName, timeOfName } from "../terms/hours.ts";
import { organizationKey, shardOf } from "../terms/keys.ts";
import { type MoneyEvent, timeOf } from "./money.ts";
import type { DayCounts } from "./money-counts.ts";

/** 90 days of an answer, and the 28 of the oldest one's baseline. */
const KEPT_DAYS = 120;

const SHARDS = 4;
const DAY_PREFIX = "money#day#";

/** A transaction has at most 100 parts. */
const EVENTS_AT_ONCE = 50;

const AMOUNT = "amount_";

const counters = {
  succeeded: "succeeded",
  failed: "failed",
  refund: "refunds",
  dispute: "disputes",
  warning: "warnings",
  payout: "payouts",
} as const satisfies Record<MoneyFact["kind"], keyof DayCounts>;

const CURRENCY = /^[a-z]{3}$/;

/** When what is stored of a time expires, epoch seconds. @param time epoch ms. */
export const ttlOf = (time: number): number => Math.floor(time / 1_000) + (KEPT_DAYS * DAY_MS) / 1_000;

/** The beginning of the sort keys of an hour's events. @param time any of the hour, epoch ms. */
export const eventsOfHour = (time: number): string => `money#event#${hourName(time)}#`;

const eventKey = (event: MoneyEvent): string => eventsOfHour(timeOf(event)) + event.id;

const addTo = (sums: Record<string, number>, name: string, value: number): void => {
  sums[name] = (sums[name] ?? 0) + value;
};

/** What events add to the counts of their day. */
const sumsOf = (events: readonly MoneyEvent[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { money } of events) {
    addTo(sums, counters[money.kind], 1);
    const { kind, amount, currency } = money;
    if (kind === "refund" && amount !== undefined && currency !== undefined && CURRENCY.test(currency))
      addTo(sums, AMOUNT + currency, amount);
  }
  return sums;
};

const DayItem = z.catchall(z.object({ key: z.string() }), z.unknown());

const emptyDay = (day: string): DayCounts => ({
  day,
  succeeded: 0,
  failed: 0,
  refunds: 0,
  disputes: 0,
  warnings: 0,
  payouts: 0,
  amounts: {},
});

const withPart = (counts: DayCounts, item: Readonly<Record<string, unknown>>): DayCounts => {
  const numbers = Object.entries(item).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const amounts = { ...counts.amounts };
  const sums = { ...counts };
  for (const [name, value] of numbers) {
    if (name.startsWith(AMOUNT)) addTo(amounts, name.slice(AMOUNT.length), value);
    for (const counter of Object.values(counters)) if (counter === name) sums[counter] += value;
  }
  return { ...sums, amounts };
};

export type MoneyStore = ReturnType<typeof createMoneyStore>;

/** All calls throw DomainError `store_unavailable`. */
export const createMoneyStore = (table: Table<"detection">) => {
  const countDay = async (scope: string, day: string, events: readonly MoneyEvent[]): Promise<void> => {
    let left = events;
    while (left.length > 0) {
      const [first] = left;
      const key = `${DAY_PREFIX}${day}#${shardOf(first?.id ?? "", SHARDS)}`;
      const parts = left.map((event) =>
        putPart(
          table,
          { scope, key: eventKey(event), ...event.money, ttl: ttlOf(timeOf(event)) },
          { condition: "attribute_not_exists(#key)" },
        ),
      );
      const update = { add: sumsOf(left), set: { ttl: ttlOf(timeOfName(day)) } };
      const counted = await transact(table, [...parts, updatePart(table, { scope, key }, update)]);
      if (counted.size === 0) return;
      // Some were counted before: count the others.
      left = left.filter((_, index) => !counted.has(index));
    }
  };

  return {
    /** Counts events, each once whoever counts it. Two write units for each event, and two for each transaction. */
    async count(organizationId: string, events: readonly MoneyEvent[]): Promise<void> {
      const unique = [...new Map(events.map((event) => [event.id, event])).values()];
      const byDay = Map.groupBy(unique, (event) => dayName(timeOf(event)));
      for (const [day, ofDay] of byDay)
        for (const chunk of chunksOf(ofDay, EVENTS_AT_ONCE))
          await countDay(organizationKey(organizationId), day, chunk);
    },

    /** The counted days, oldest first. Half a read unit for some 20 days. */
    async readDays(organizationId: string): Promise<DayCounts[]> {
      const days = new Map<string, DayCounts>();
      const pages = queryPages(table, {
        where: "#scope = :scope AND begins_with(#key, :days)",
        values: { scope: organizationKey(organizationId), days: DAY_PREFIX },
      });
      for await (const page of pages) {
        for (const item of page) {
          const { key, ...numbers } = DayItem.parse(item);
          const day = key.slice(DAY_PREFIX.length, key.lastIndexOf("#"));
          days.set(day, withPart(days.get(day) ?? emptyDay(day), numbers));
        }
      }
      return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
    },
  };
};
