/** Which events the view shows: the address has the choices, with the names and values of GET …/security. */
import type { paths } from "../../api/types.ts";
import { inWords } from "../../words/format.ts";
import type { Interval } from "../../words/intervals.ts";
import { levels } from "../../words/levels.ts";
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

const categories = [
  "authentication",
  "authorization",
  "compliance",
  "data_access",
  "integration",
  "security",
  "system",
] as const;

export const sourceLabels = {
  user: "A user",
  system: "The service itself",
  webhook: "The provider",
  provider: "The provider’s log",
} as const;

const words = (values: readonly string[]) => values.map((value) => [value, inWords(value)] as const);

/** The filters with their labels. `options` are the values with their words; a filter without them takes any text. */
export const filters = {
  riskLevel: { label: "Level", options: words(levels) },
  eventType: { label: "Type", options: undefined },
  category: { label: "Category", options: words(categories) },
  success: {
    label: "Outcome",
    options: [
      ["true", "Succeeded"],
      ["false", "Failed"],
    ],
  },
  processed: {
    label: "Processed",
    options: [
      ["false", "Not processed"],
      ["true", "Processed"],
    ],
  },
  source: { label: "Caused by", options: Object.entries(sourceLabels) },
  userId: { label: "User", options: undefined },
  ipAddress: { label: "Address", options: undefined },
} as const satisfies Record<string, { label: string; options: readonly (readonly [string, string])[] | undefined }>;
export type FilterName = keyof typeof filters;

export const filterNames = Object.keys(filters) as FilterName[];

/** Removes all filters and keeps the period. */
export const noFilters: Chosen = Object.fromEntries(filterNames.map((name) => [name, undefined]));

/** A chosen value in words. */
const valueInWords = (name: FilterName, value: string): string => {
  if (name === "eventType") return inWords(value);
  const known: readonly (readonly [string, string])[] | undefined = filters[name].options;
  return known?.find(([option]) => option.toLowerCase() === value.toLowerCase())?.[1] ?? value;
};

/** The chosen filters in words, for chips. */
export const chips = (chosen: Chosen): { name: FilterName; text: string }[] =>
  filterNames.flatMap((name) => {
    const value = chosen[name];
    return value === undefined || value === ""
      ? []
      : [{ name, text: `${filters[name].label}: ${valueInWords(name, value)}` }];
  });

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

/** `canFollow`: new events can come, because the selection has no end. `isLive`: the user follows them. */
export const liveOf = ({ until, live }: Chosen): { canFollow: boolean; isLive: boolean } => {
  const canFollow = until === undefined;
  return { canFollow, isLive: canFollow && live === "on" };
};

/** The events that a key acts on: the selected ones, or else the one that has the focus. */
export const targetsOf = (selected: ReadonlySet<string>, focused: string | undefined): readonly string[] =>
  selected.size > 0 || focused === undefined ? [...selected] : [focused];
