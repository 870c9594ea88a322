/** The hours that the address chooses. Pure. */
import { instantOf } from "../../words/local-time.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Periods until the last whole hour, by their name in the address. The API takes at most 31 days. */
export const periods = {
  "24h": { label: "24 hours", ms: DAY },
  "7d": { label: "7 days", ms: 7 * DAY },
  "31d": { label: "31 days", ms: 31 * DAY },
} as const;
export type Period = keyof typeof periods;

/** The query of the page's address. */
export type Chosen = Readonly<Record<string, string | undefined>>;

/** Epoch milliseconds; `until` is exclusive. */
export type Span = { since: number; until: number };

/** The preset that is chosen; undefined if the address has a time of its own. */
export const periodOf = ({ period, since, until }: Chosen): Period | undefined => {
  if (since !== undefined || until !== undefined) return undefined;
  return period !== undefined && Object.hasOwn(periods, period) ? (period as Period) : "24h";
};

const wholeHour = (at: number): number => Math.floor(at / HOUR) * HOUR;

/**
 * Whole hours, as the API takes them: a time within an hour chooses all of that hour.
 * @param now epoch milliseconds
 */
export const spanOf = (chosen: Chosen, now: number): Span => {
  const period = periodOf(chosen);
  const last = wholeHour(now);
  if (period !== undefined) return { since: last - periods[period].ms, until: last };
  const until = wholeHour((instantOf(chosen.until) ?? last) + HOUR - 1);
  return { since: wholeHour(instantOf(chosen.since) ?? until - DAY), until };
};
