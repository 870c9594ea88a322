/**
 * Rollups: what the events of an hour or of a day count up to, kept so that nobody reads the events again.
 * An hour that may have events which its rollup lacks is called open; its marker says so (open-hour-store.ts).
 */

import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../../runtime/call-store.ts";
import { putIfUnchanged } from "../../runtime/conditional-write.ts";
import { newRequestToken } from "../../runtime/ids.ts";
import { readPages } from "../../runtime/read-pages.ts";
import { dayName, hourName, timeOfName } from "../../terms/hours.ts";
import { decodeCounters, encodeCounters } from "./counter-encoding.ts";
import { type Counters, mergeCounters } from "./counters.ts";

/** Events are counted with the seconds at which they expire; all of an hour expire together, or at few moments. */
export type Rollup = {
  counters: Counters;
  /** Epoch seconds at which the first of its events expires: from then on it counts too many. */
  exactUntil: number;
  /** Epoch seconds at which the last of its events expires: from then on there is nothing to count. */
  expiresAt: number;
};

/** An hour, or all of its day, with when it begins: epoch ms. */
export type PeriodKind = "hour" | "day";
export type Period = { kind: PeriodKind; start: number };

/** Whether all that a rollup counts has expired. @param now epoch ms. */
export const isExpired = ({ expiresAt }: Pick<Rollup, "expiresAt">, now: number): boolean => expiresAt * 1_000 <= now;

/** Whether a rollup counts exactly what has not expired. @param now epoch ms. */
export const isExact = ({ exactUntil }: Pick<Rollup, "exactUntil">, now: number): boolean => exactUntil * 1_000 > now;

/** The sum of rollups of which none has expired; undefined where there is none. */
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
 * The same table has the markers of open hours (open-hour-store.ts).
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

/** Epoch ms of the first and the last hour or day. */
export type Span = { first: number; last: number };

export type RollupStore = ReturnType<typeof createRollupStore>;

/** The rollups of each partition of events. All calls throw DomainError `store_unavailable` when it does not answer. */
export const createRollupStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Reads one strongly, expired or not: one read unit up to 4 KB. */
  async get(scope: string, period: Period): Promise<StoredRollup | undefined> {
    const command = new GetCommand({
      TableName: tableName,
      Key: { scope, period: keyOf(period) },
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item && parse(Item);
  },

  /**
   * Overwrites one if it is still the one that was read; costs one write unit up to 1 KB.
   * @param previousToken the token of the one that was read; undefined where there was none.
   * @returns whether it is written; false where another came first.
   */
  put: (
    scope: string,
    period: Period,
    { counters, exactUntil, expiresAt }: Rollup,
    previousToken: string | undefined,
  ): Promise<boolean> =>
    putIfUnchanged(
      client,
      tableName,
      {
        scope,
        period: keyOf(period),
        counters: encodeCounters(counters),
        token: newRequestToken(),
        exactUntil,
        ttl: expiresAt,
      },
      { attribute: "token", previous: previousToken },
    ),

  /**
   * The hours or days of a span, in order of time, expired or not. Half a read unit per 4 KB; strongly, one.
   * Read without `strongly` it may lag; closers leave a marker until what they wrote is everywhere.
   */
  async list(
    scope: string,
    kind: PeriodKind,
    { first, last }: Span,
    { strongly = false }: { strongly?: boolean } = {},
  ): Promise<StoredRollup[]> {
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND #period BETWEEN :first AND :last",
      ExpressionAttributeNames: { "#scope": "scope", "#period": "period" },
      ExpressionAttributeValues: {
        ":scope": scope,
        ":first": keyOf({ kind, start: first }),
        ":last": keyOf({ kind, start: last }),
      },
      ConsistentRead: strongly,
    });
    const found: StoredRollup[] = [];
    for await (const page of pages) found.push(...page.map(parse));
    return found;
  },
});
