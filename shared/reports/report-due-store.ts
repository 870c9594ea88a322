import * as z from "zod/mini";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, putItem, type Table } from "../runtime/table.ts";
import { putPart, type TransactItem } from "../runtime/table-transaction.ts";
import { DAY_MS, dayName, timeOfName } from "../terms/hours.ts";
import { createDueMarkStore } from "../work/due-mark-store.ts";
import { CATCH_UP_DAYS, type Period, periodsOfDay } from "./period.ts";
import { DISPATCHER_KEY, dueKey, dueReports, periodOfKey } from "./report-keys.ts";

const IndexEntry = z.object({ scope: z.string(), key: z.string() });
const Mark = z.object({ token: z.string(), ttl: z.number() });
const Dispatched = z.object({ through: z.string() });

/** A report to make when its period is over. `scope`: the organization's key. */
export type DueReport = { scope: string; period: Period };

/** A mark as it was read; each mark has a new token. `expiresAt`: epoch ms. */
export type DueMark = { token: string; expiresAt: number };

/** A mark expires CATCH_UP_DAYS after the period's end, or after `now` if an erasure deleted an older report. */
const attributesOf = ({ to }: Period, now: number) => ({
  token: newRequestToken(),
  ttl: Math.floor((Math.max(to, now) + (CATCH_UP_DAYS + 1) * DAY_MS) / 1_000),
});

export type ReportDueStore = ReturnType<typeof createReportDueStore>;

/** The marks of reports to make. All calls throw DomainError `store_unavailable`. */
export const createReportDueStore = (table: Table<"reports">) => {
  const marks = createDueMarkStore(table, dueReports);

  return {
    /** The part of a transaction that marks a report. @param now epoch ms. */
    partOf: (scope: string, period: Period, now: number): TransactItem =>
      putPart(table, { ...marks.itemOf(scope, dueKey(period), attributesOf(period, now)), scope, key: dueKey(period) }),

    /**
     * Marks the reports of a day and of its week: four write units, two if both are marked already.
     * @param scope the organization's key (shared/terms/keys.ts).
     * @param day any time of it, epoch ms.
     */
    async markReportsDue(scope: string, day: number): Promise<void> {
      for (const period of periodsOfDay(day)) await marks.mark(scope, dueKey(period), attributesOf(period, period.to));
    },

    /** All marks; those of a shard by kind and time. Half a read unit per shard and 4 KB; may lag by a second. */
    async *listAll(): AsyncGenerator<DueReport, void, void> {
      for await (const item of marks.list()) {
        const { scope, key } = IndexEntry.parse(item);
        yield { scope, period: periodOfKey(key) };
      }
    },

    /** A mark, read strongly consistent; undefined if there is none. One read unit. */
    async read({ scope, period }: DueReport): Promise<DueMark | undefined> {
      const item = await getItem(table, { scope, key: dueKey(period) });
      if (item === undefined) return undefined;
      const { token, ttl } = Mark.parse(item);
      return { token, expiresAt: ttl * 1_000 };
    },

    /** Removes a mark, unless the report was marked again since the mark was read; two write units. */
    async clear({ scope, period }: DueReport, { token }: Pick<DueMark, "token">): Promise<void> {
      await marks.clear(scope, dueKey(period), token);
    },

    /** The last day for which connected organizations were marked, its start in epoch ms; one read unit. */
    async connectedThrough(): Promise<number | undefined> {
      const item = await getItem(table, DISPATCHER_KEY);
      return item && timeOfName(Dispatched.parse(item).through);
    },

    /** Stores that connected organizations were marked up to a day; one write unit. @param day epoch ms. */
    async setConnectedThrough(day: number): Promise<void> {
      await putItem(table, { ...DISPATCHER_KEY, through: dayName(day) });
    },
  };
};
