import * as z from "zod/mini";
import { getItem, putItem, type Table } from "../runtime/table.ts";
import { queryPages } from "../runtime/table-query.ts";
import { LOG_SCOPE } from "../sealing/evidence-item.ts";
import { dayName, timeOfName } from "../terms/hours.ts";
import { type DaySums, unjudgedReasons } from "./day-sums.ts";

/**
 * In the table of evidence, because sums never expire: partition key `scope`, sort key `coverage#2026-11-21`. They are numbers of
 * events and names of rules, so an erasure keeps them.
 */
const DayItem = z.object({
  key: z.string(),
  recorded: z.number(),
  counted: z.number(),
  sealed: z.number(),
  archived: z.number(),
  fed: z.optional(z.number()),
  notJudged: z.partialRecord(z.enum(unjudgedReasons), z.array(z.number())),
  rules: z.record(z.string(), z.array(z.number())),
  problem: z.optional(z.string()),
});

/**
 * How far the sums of an organization are, sort key `coverage`. `from`: the first day that has sums; `night`: the last day whose
 * night is done; `fedSince`: from when on the feed is compared, undefined while it is off. Epoch ms.
 */
const ProgressItem = z.object({ from: z.number(), night: z.number(), fedSince: z.optional(z.number()) });
export type Progress = z.output<typeof ProgressItem>;

/** Of all organizations. `night`: the last day whose night is done; `checked`: that of the last check of all checkpoints. */
const NightItem = z.object({ night: z.optional(z.number()), checked: z.optional(z.number()) });
export type Night = z.output<typeof NightItem>;

const PROGRESS_KEY = "coverage";
const PREFIX = "coverage#";
const keyOf = (day: number): string => PREFIX + dayName(day);

export type CoverageStore = ReturnType<typeof createCoverageStore>;

/** The sums of days, and how far the nights are. All calls throw DomainError `store_unavailable`. */
export const createCoverageStore = (table: Table<"evidence">) => ({
  /** The stored sums of a span of days, oldest first. Half a read unit per 4 KB. @param first, last epoch ms, both inclusive. */
  async listDays(scope: string, { first, last }: { first: number; last: number }): Promise<Map<number, DaySums>> {
    const days = new Map<number, DaySums>();
    if (first > last) return days;
    const query = {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: { scope, first: keyOf(first), last: keyOf(last) },
    };
    for await (const page of queryPages(table, query))
      for (const item of page) {
        const { key, ...sums } = DayItem.parse(item);
        days.set(timeOfName(key.slice(PREFIX.length)), sums);
      }
    return days;
  },

  /** Stores the sums of a day, and replaces earlier ones. A write unit per KB, about two. */
  async putDay(scope: string, day: number, sums: DaySums): Promise<void> {
    await putItem(table, { scope, key: keyOf(day), ...sums });
  },

  /** One read unit. */
  async readProgress(scope: string): Promise<Progress | undefined> {
    const item = await getItem(table, { scope, key: PROGRESS_KEY });
    return item && ProgressItem.parse(item);
  },

  /** One write unit. */
  async putProgress(scope: string, progress: Progress): Promise<void> {
    await putItem(table, { scope, key: PROGRESS_KEY, ...progress });
  },

  /** One read unit. */
  async readNight(): Promise<Night> {
    return NightItem.parse((await getItem(table, { scope: LOG_SCOPE, key: PROGRESS_KEY })) ?? {});
  },

  /** One write unit. */
  async putNight(night: Night): Promise<void> {
    await putItem(table, { scope: LOG_SCOPE, key: PROGRESS_KEY, ...night });
  },
});
