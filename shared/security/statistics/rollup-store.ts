/**
 * Rollups: the counters of an hour's or a day's events, stored so that statistics need not read the events again. An hour
 * is open while it may have events that its rollup does not count (open-hour-store.ts).
 */

import * as z from "zod/mini";
import { newRequestToken } from "../../runtime/ids.ts";
import { getItem, putItem, type Table, unchanged } from "../../runtime/table.ts";
import { queryPages } from "../../runtime/table-query.ts";
import { dayName, hourName, timeOfName } from "../../terms/hours.ts";
import { decodeCounters, encodeCounters } from "./counter-encoding.ts";
import { type Counters, mergeCounters } from "./counters.ts";

/** The two expiries, in epoch seconds, differ only if RETENTION_DAYS was changed between the events. */
export type Rollup = {
  counters: Counters;
  /** When the first counted event expires: from then on the counters are too high. */
  exactUntil: number;
  /** When the last counted event expires: from then on there is nothing to count. */
  expiresAt: number;
};

/** `start`: epoch ms. */
type PeriodKind = "hour" | "day";
export type Period = { kind: PeriodKind; start: number };

/** The starts of the first and the last hour or day, epoch ms. */
export type Span = { first: number; last: number };

/** Whether all counted events have expired. @param now epoch ms. */
export const isExpired = ({ expiresAt }: Pick<Rollup, "expiresAt">, now: number): boolean => expiresAt * 1_000 <= now;

/** Whether no counted event has expired. @param now epoch ms. */
export const isExact = ({ exactUntil }: Pick<Rollup, "exactUntil">, now: number): boolean => exactUntil * 1_000 > now;

/** The sum of unexpired rollups; undefined if there are none. */
export const sumRollups = (rollups: readonly Rollup[]): Rollup | undefined =>
  rollups.length === 0
    ? undefined
    : {
        counters: mergeCounters(rollups.map(({ counters }) => counters)),
        exactUntil: Math.min(...rollups.map(({ exactUntil }) => exactUntil)),
        expiresAt: Math.max(...rollups.map(({ expiresAt }) => expiresAt)),
      };

/**
 * One item per closed hour and one per day: partition key `scope`, sort key `period` (`hour#2026-11-21T10`,
 * `day#2026-11-21`). `token` changes with every put. `ttl` and `exactUntil` are epoch seconds.
 */
const RollupItem = z.object({
  period: z.string(),
  counters: z.instanceof(Uint8Array),
  token: z.string(),
  exactUntil: z.number(),
  ttl: z.number(),
});

export type StoredRollup = Rollup & { period: Period; token: string };

const keyOf = ({ kind, start }: Period): string => `${kind}#${kind === "hour" ? hourName(start) : dayName(start)}`;

const parse = (item: unknown): StoredRollup => {
  const { period, counters, token, exactUntil, ttl } = RollupItem.parse(item);
  const [kind, name = ""] = period.split("#");
  return {
    period: { kind: kind === "hour" ? "hour" : "day", start: timeOfName(name) },
    counters: decodeCounters(counters),
    token,
    exactUntil,
    expiresAt: ttl,
  };
};

export type RollupStore = ReturnType<typeof createRollupStore>;

/** The rollups of each partition of events. All calls throw DomainError `store_unavailable`. */
export const createRollupStore = (table: Table<"securityRollups">) => ({
  /** Reads a rollup strongly consistent, even if expired: one read unit up to 4 KB. */
  async get(scope: string, period: Period): Promise<StoredRollup | undefined> {
    const item = await getItem(table, { scope, period: keyOf(period) });
    return item && parse(item);
  },

  /**
   * Overwrites a rollup if it has not changed since it was read; one write unit up to 1 KB.
   * @param previousToken the token of the rollup that was read; undefined if there was none.
   * @returns whether the rollup was written.
   */
  async put(
    scope: string,
    period: Period,
    { counters, exactUntil, expiresAt: ttl }: Rollup,
    previousToken: string | undefined,
  ): Promise<boolean> {
    const { written } = await putItem(
      table,
      { scope, period: keyOf(period), counters: encodeCounters(counters), token: newRequestToken(), exactUntil, ttl },
      { ...unchanged("token", previousToken), own: "token" },
    );
    return written;
  },

  /**
   * The hours or days of a span in order of time, even if expired. Half a read unit per 4 KB, one if `strongly`
   * consistent. Otherwise the list may lag; closers keep an hour open until their writes are on every replica.
   */
  async list(
    scope: string,
    kind: PeriodKind,
    { first, last }: Span,
    { strongly = false }: { strongly?: boolean } = {},
  ): Promise<StoredRollup[]> {
    const pages = queryPages(table, {
      where: "#scope = :scope AND #period BETWEEN :first AND :last",
      values: { scope, first: keyOf({ kind, start: first }), last: keyOf({ kind, start: last }) },
      isConsistent: strongly,
    });
    const found: StoredRollup[] = [];
    for await (const page of pages) found.push(...page.map(parse));
    return found;
  },
});
