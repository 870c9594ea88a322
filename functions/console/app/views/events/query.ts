/** The query of the API for what the address chooses. Apart from selection.ts: the start of the console needs it without the words. */
import type { paths } from "../../api/types.ts";
import type { Interval } from "../../words/intervals.ts";
import { instantOf } from "../../words/local-time.ts";

export const LIST_PATH = "/api/integrations/provider/security";

export type EventQuery = NonNullable<paths[typeof LIST_PATH]["get"]["parameters"]["query"]>;

/** The query of the page's address. */
export type Chosen = Readonly<Record<string, string | undefined>>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Periods until now, by their name in the address. */
export const periods = {
  "1h": { label: "1 hour", ms: HOUR },
  "24h": { label: "24 hours", ms: DAY },
  "7d": { label: "7 days", ms: 7 * DAY },
  "30d": { label: "30 days", ms: 30 * DAY },
  "90d": { label: "90 days", ms: 90 * DAY },
} as const;
export type Period = keyof typeof periods;

const DEFAULT_PERIOD: Period = "24h";

/** The preset that is chosen; undefined if the address has a time of its own. */
export const periodOf = ({ period, since, until }: Chosen): Period | undefined => {
  if (since !== undefined || until !== undefined) return undefined;
  return period !== undefined && Object.hasOwn(periods, period) ? (period as Period) : DEFAULT_PERIOD;
};

/** What the address has for a preset: the default needs nothing. */
export const choosePeriod = (period: Period): Chosen => ({
  period: period === DEFAULT_PERIOD ? undefined : period,
  since: undefined,
  until: undefined,
});

/** The filters, by their names in the address and in the API. */
export const filterNames = [
  "riskLevel",
  "eventType",
  "category",
  "success",
  "processed",
  "source",
  "userId",
  "ipAddress",
] as const;
export type FilterName = (typeof filterNames)[number];

/** Identifies the selection, whatever else the address has. */
export const keyOf = (chosen: Chosen): string =>
  JSON.stringify([periodOf(chosen), chosen.since, chosen.until, ...filterNames.map((name) => chosen[name])]);

/**
 * The query of the API. The address may have been typed: the API says what is wrong with a value.
 * @param now the end of a preset, epoch milliseconds
 */
export const queryOf = (chosen: Chosen, now: number): EventQuery => {
  const period = periodOf(chosen);
  const since = period === undefined ? chosen.since : new Date(now - periods[period].ms).toISOString();
  const values = filterNames.map((name) => [name, chosen[name]] as const);
  const given = [
    ...values,
    ["since", since] as const,
    ["until", period === undefined ? chosen.until : undefined] as const,
  ];
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== "")) as EventQuery;
};

/** The first moment of a selection, epoch milliseconds. */
export const beginOf = ({ since }: EventQuery, now: number): number =>
  instantOf(since) ?? now - periods[DEFAULT_PERIOD].ms;

/** The API counts at most this long by the hour, or by the day. */
const MOST_HOURLY_MS = 3 * DAY;
const MOST_DAILY_MS = 91 * DAY;
/** A shorter selection is no chart. */
const LEAST_CHARTED_MS = 2 * HOUR;

/** How the selection is counted for its chart; undefined if it is too short or too long for one. @param now epoch ms */
export const intervalOf = (query: EventQuery, now: number): Interval | undefined => {
  const length = (instantOf(query.until) ?? now) - beginOf(query, now);
  if (length <= LEAST_CHARTED_MS || length > MOST_DAILY_MS) return undefined;
  return length <= MOST_HOURLY_MS ? "hour" : "day";
};
