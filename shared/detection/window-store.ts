/**
 * A window is an hour that was judged: one item per scope and hour, put once, so that an hour is judged once.
 *
 * `judgedAt` (epoch ms) · `rules`: the versions that judged it · `settings`: the revisions of the settings that judged it,
 * of the rules that were ever changed · `eventsRead` · `findings` · `carried`: the facts that the
 * next hour's windows may contain · `today`: the counts of its day so far · `ended`: those of the day before, only in the
 * first judged hour of a day · `custom`: where the result of own rules is (custom-rules/custom-result-store.ts) · `finishedAt` (epoch ms): when everything that follows from the hour was done.
 * Nested values are stored as JSON text, and left out if empty: a quiet hour costs one write unit.
 */

import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { encodeJson } from "../json/encode-json.ts";
import { getItem, putItem, type Table, updateItem } from "../runtime/table.ts";
import { queryOnce, queryPages } from "../runtime/table-query.ts";
import { type Finding, findingRules } from "../security/alerts/finding.ts";
import { expiryOf } from "../terms/hours.ts";
import { CustomResultRef } from "./custom-rules/custom-result-store.ts";
import { DayCounts } from "./day-counts.ts";
import { hourOfWindowKey, WINDOW_PREFIX, windowKey } from "./detection.ts";
import { Fact } from "./evidence/fact.ts";
import { StoredFinding } from "./stored-finding.ts";

const WindowFinding = z.extend(StoredFinding, { rule: z.enum(findingRules) });

/** `hour`: its start, epoch ms. */
export type Window = {
  hour: number;
  judgedAt: number;
  rules: Readonly<Record<string, number>>;
  settings?: Readonly<Record<string, number>> | undefined;
  eventsRead: number;
  findings: readonly Finding[];
  carried: readonly Fact[];
  today: DayCounts;
  ended?: DayCounts | undefined;
  custom?: CustomResultRef | undefined;
  finishedAt?: number | undefined;
};

const json = z.optional(z.string());

const WindowItem = z.object({
  key: z.string(),
  judgedAt: z.number(),
  rules: z.record(z.string(), z.number()),
  settings: z.optional(z.record(z.string(), z.number())),
  eventsRead: z.number(),
  findings: json,
  carried: json,
  today: z.string(),
  ended: json,
  custom: z.optional(CustomResultRef),
  finishedAt: z.optional(z.number()),
});

const JudgedTime = z.pick(WindowItem, { key: true, judgedAt: true });
const JudgedBy = z.pick(WindowItem, { key: true, rules: true });

const toJson = (list: readonly unknown[]): string | undefined => (list.length === 0 ? undefined : encodeJson(list));

const toItem = (
  scope: string,
  { hour, findings, carried, today, ended, ...fields }: Window,
  retentionDays: number,
) => ({
  ...fields,
  scope,
  key: windowKey(hour),
  findings: toJson(findings),
  carried: toJson(carried),
  today: encodeJson(today),
  ended: ended && encodeJson(ended),
  ttl: expiryOf(hour, retentionDays),
});

const parseList = (text: string | undefined): unknown => (text === undefined ? [] : JSON.parse(text));

const parseWindow = (item: unknown): Window => {
  const { key, findings, carried, today, ended, ...fields } = WindowItem.parse(item);
  return {
    ...fields,
    hour: hourOfWindowKey(key),
    findings: z
      .array(WindowFinding)
      .parse(parseList(findings))
      .map(({ message, ...finding }) => ({ ...finding, ...definedFields({ message }) })),
    carried: z.array(Fact).parse(parseList(carried)),
    today: DayCounts.parse(JSON.parse(today)),
    ...definedFields({ ended: ended === undefined ? undefined : DayCounts.parse(JSON.parse(ended)) }),
  };
};

export type WindowStore = ReturnType<typeof createWindowStore>;

/** The judged hours of each scope. All calls throw DomainError `store_unavailable`. */
export const createWindowStore = (table: Table<"detection">, { retentionDays }: { retentionDays: number }) => {
  const get = async (scope: string, hour: number): Promise<Window | undefined> => {
    const item = await getItem(table, { scope, key: windowKey(hour) });
    return item && parseWindow(item);
  };

  const pagesOf = (scope: string, { from, to }: { from: number; to: number }, attributes: readonly string[]) =>
    queryPages(table, {
      where: "#scope = :scope AND #key BETWEEN :first AND :last",
      values: { scope, first: windowKey(from), last: windowKey(to - 1) },
      attributes,
    });

  return {
    /** A strongly consistent read: one read unit per 4 KB. @param hour epoch ms. */
    get,

    /** The latest judged hour up to and including `hour`; a strongly consistent read: one read unit per 4 KB. @param hour epoch ms. */
    async latest(scope: string, hour: number): Promise<Window | undefined> {
      const query = {
        where: "#scope = :scope AND #key BETWEEN :first AND :last",
        values: { scope, first: WINDOW_PREFIX, last: windowKey(hour) },
        isDescending: true,
        isConsistent: true,
      };
      const [item] = (await queryOnce(table, query, { limit: 1 })).items;
      return item && parseWindow(item);
    },

    /**
     * When each judged hour of a span was judged, by the hour's start; both epoch ms. May lag by a second: half a read unit
     * per 4 KB.
     */
    async judgedTimes(scope: string, { from, to }: { from: number; to: number }): Promise<Map<number, number>> {
      const times = new Map<number, number>();
      for await (const page of pagesOf(scope, { from, to }, ["key", "judgedAt"])) {
        for (const item of page) {
          const { key, judgedAt } = JudgedTime.parse(item);
          times.set(hourOfWindowKey(key), judgedAt);
        }
      }
      return times;
    },

    /** The versions of the rules that judged each hour of a span, by the hour's start. May lag; costs as `judgedTimes`. */
    async judgedBy(
      scope: string,
      { from, to }: { from: number; to: number },
    ): Promise<Map<number, Record<string, number>>> {
      const rules = new Map<number, Record<string, number>>();
      for await (const page of pagesOf(scope, { from, to }, ["key", "rules"]))
        for (const item of page) {
          const { key, rules: versions } = JudgedBy.parse(item);
          rules.set(hourOfWindowKey(key), versions);
        }
      return rules;
    },

    /**
     * Stores the result of an hour, unless it has one; a write unit per KB, and a read if it has.
     * @returns the stored result: this one, or the one that came first.
     */
    async put(scope: string, window: Window): Promise<Window> {
      const item = toItem(scope, window, retentionDays);
      const { written } = await putItem(table, item, { condition: "attribute_not_exists(#key)" });
      if (written) return window;
      // Stored by another invocation, or by an attempt of this call whose answer was lost.
      return (await get(scope, window.hour)) ?? window;
    },

    /** Records that everything that follows from an hour was done; a write unit per KB. An erased hour stays erased. */
    async markFinished(scope: string, hour: number, now: number): Promise<void> {
      const key = { scope, key: windowKey(hour) };
      await updateItem(table, key, { set: { finishedAt: now }, condition: "attribute_exists(#key)" });
    },
  };
};
