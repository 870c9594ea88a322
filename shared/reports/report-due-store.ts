import * as z from "zod/mini";
import { newRequestToken } from "../runtime/ids.ts";
import { getItem, putItem, type Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { putPart, type TransactItem } from "../runtime/table-transaction.ts";
import { DAY_MS, dayName, timeOfName } from "../terms/hours.ts";
import { createDueMarkStore } from "../work/due-mark-store.ts";
import { CATCH_UP_DAYS, type Period, periodsOfDay } from "./period.ts";
import { DISPATCHER_KEY, dueKey, dueReports, entryKey, periodOfKey } from "./report-keys.ts";

const IndexEntry = z.object({ scope: z.string(), key: z.string() });
const Mark = z.object({ token: z.string(), ttl: z.number() });
const MarkingItem = z.object({
  through: z.optional(z.string()),
  day: z.optional(z.string()),
  after: z.optional(z.string()),
});

/** A report to make when its period is over. `scope`: the organization's key. */
export type DueReport = { scope: string; period: Period };

/**
 * How far the marking of connected organizations is. `through`: the last day that is complete, its start in epoch ms; absent
 * before the first. `current`: the day under way, and the last organization that is marked.
 */
export type Marking = { through?: number; current?: { day: number; after: string } };

/** A mark as it was read; each mark has a new token. `expiresAt`: epoch ms. */
export type DueMark = { token: string; expiresAt: number };

/** A mark expires CATCH_UP_DAYS after the period's end, or after `now` if an erasure deleted an older report. */
const attributesOf = ({ to }: Period, now: number) => ({
  token: newRequestToken(),
  ttl: Math.floor((Math.max(to, now) + (CATCH_UP_DAYS + 1) * DAY_MS) / 1_000),
});

const nameOf = ({ scope, key }: z.output<typeof IndexEntry>) => `${scope} ${key}`;

export type ReportDueStore = ReturnType<typeof createReportDueStore>;

/** The marks of reports to make. All calls throw DomainError `store_unavailable`. */
export const createReportDueStore = (table: Table<"reports">) => {
  const marks = createDueMarkStore(table, dueReports);

  return {
    /** The part of a transaction that marks a report. @param now epoch ms. */
    partOf: (scope: string, period: Period, now: number): TransactItem =>
      putPart(table, { ...marks.itemOf(scope, dueKey(period), attributesOf(period, now)), scope, key: dueKey(period) }),

    /**
     * Marks the reports of a day, of its week and of its month: six write units, three if all are marked already.
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

    /**
     * The reports of organizations that are neither marked nor made: one read unit each. May lag by a second.
     * @param scopes the organizations' keys.
     */
    async unmarked(scopes: readonly string[], periods: readonly Period[]): Promise<DueReport[]> {
      const wanted = scopes.flatMap((scope) => periods.map((period) => ({ scope, period })));
      const keys = wanted.flatMap(({ scope, period }) =>
        [dueKey, entryKey].map((key) => ({ scope, key: key(period) })),
      );
      const { items } = await getItems(table, keys, { attributes: ["scope", "key"] });
      const found = new Set(items.map((item) => nameOf(IndexEntry.parse(item))));
      return wanted.filter(
        ({ scope, period }) => ![dueKey, entryKey].some((key) => found.has(nameOf({ scope, key: key(period) }))),
      );
    },

    /** Marks a report; two write units. */
    mark: ({ scope, period }: DueReport): Promise<void> =>
      marks.mark(scope, dueKey(period), attributesOf(period, period.to)),

    /** How far the marking of connected organizations is; one read unit. */
    async readMarking(): Promise<Marking> {
      const { through, day, after } = MarkingItem.parse((await getItem(table, DISPATCHER_KEY)) ?? {});
      return {
        ...(through !== undefined && { through: timeOfName(through) }),
        ...(day !== undefined && after !== undefined && { current: { day: timeOfName(day), after } }),
      };
    },

    /** Stores how far the marking of connected organizations is; one write unit. */
    async storeMarking({ through, current }: Marking): Promise<void> {
      await putItem(table, {
        ...DISPATCHER_KEY,
        ...(through !== undefined && { through: dayName(through) }),
        ...(current && { day: dayName(current.day), after: current.after }),
      });
    },
  };
};
