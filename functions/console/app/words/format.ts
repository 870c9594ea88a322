/** Times, durations, numbers and amounts in the user's language and time zone, names of the API as words, and tones. */

/** Some browsers take their language from the environment, in a form that `Intl` refuses, such as "en-US@posix". */
const isUsable = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
};
/** Undefined: the browser's own choice. */
export const language = navigator.languages.find(isUsable);

/**
 * The console's words are English. In other languages, dates are numbers in the order of that language, and no weekday is
 * named.
 */
const isEnglish = new Intl.DateTimeFormat(language).resolvedOptions().locale.startsWith("en");
const dayOfYear = { month: isEnglish ? "short" : "2-digit", day: isEnglish ? "numeric" : "2-digit" } as const;
const date = { year: "numeric", month: dayOfYear.month, day: dayOfYear.day } as const;

const dateTime = new Intl.DateTimeFormat(language, {
  ...date,
  hour: "numeric",
  minute: "2-digit",
  second: "2-digit",
});
const day = new Intl.DateTimeFormat(language, date);
const shortDateTime = new Intl.DateTimeFormat(language, {
  ...dayOfYear,
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const hour = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
const dayAndHour = new Intl.DateTimeFormat(language, {
  ...(isEnglish && { weekday: "short" as const }),
  ...dayOfYear,
  hour: "numeric",
  minute: "2-digit",
});
const utcDay = new Intl.DateTimeFormat(language, { ...dayOfYear, timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const decimal = new Intl.NumberFormat(language);
const oneDigit = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const formatNumber = (value: number): string => decimal.format(value);

/** Such as "1 alert", "1,200 alerts" or "2 deliveries". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** Such as "every hour" or "every 4 hours". */
export const everyHours = (hours: number): string => (hours === 1 ? "every hour" : `every ${plural(hours, "hour")}`);

export const isOrAre = (count: number): string => (count === 1 ? "is" : "are");

/** @param value from 0 to 1. */
export const formatShare = (value: number): string => share.format(value);

/** Such as "Nov 23, 2026". */
export const formatDay = (at: number): string => day.format(at);

export const formatTime = (at: number): string => dateTime.format(at);

/** Without the year. */
export const formatShortTime = (at: number): string => shortDateTime.format(at);

/** To the minute, with the day unless it is the day of `now`: "2:30 PM" or "Mon, Nov 23, 8:00 AM". */
export const formatMinute = (at: number, now: number): string =>
  (new Date(at).toDateString() === new Date(now).toDateString() ? hour : dayAndHour).format(at);

/** The day of UTC, such as "Nov 23". */
export const formatUtcDay = (at: number): string => utcDay.format(at);

export const formatUtc = (at: number): string => `${new Date(at).toISOString().replace("T", " ").slice(0, 19)} UTC`;

/** Such as "3 minutes ago" or "in 2 hours". */
export const formatRelative = (at: number, now: number): string => {
  const difference = at - now;
  const size = Math.abs(difference);
  // What rounds up to the next unit is in that one: "1 minute ago", not "60 seconds ago".
  if (size < MINUTE - SECOND / 2) return relative.format(Math.round(difference / SECOND), "second");
  if (size < HOUR - MINUTE / 2) return relative.format(Math.round(difference / MINUTE), "minute");
  if (size < DAY - HOUR / 2) return relative.format(Math.round(difference / HOUR), "hour");
  return relative.format(Math.round(difference / DAY), "day");
};

/**
 * The age of what has happened. Between the clocks of a browser and the service is the time of an answer, so it may seem to
 * be some moments ahead: then it is "now".
 */
export const formatAge = (at: number, now: number): string => formatRelative(Math.min(at, now), now);

type Unit = "millisecond" | "second" | "minute" | "hour" | "day" | "byte" | "kilobyte" | "megabyte" | "gigabyte";

const unit = (value: number, name: Unit): string => {
  const format = new Intl.NumberFormat("en", {
    style: "unit",
    unit: name,
    unitDisplay: "short",
    maximumFractionDigits: 1,
  });
  const word = format.formatToParts(value).find(({ type }) => type === "unit")?.value;
  return `${oneDigit.format(value)} ${word}`;
};

/** Such as "340 ms", "12.3 sec" or "4 min 10 sec". */
export const formatDuration = (ms: number): string => {
  if (ms < SECOND) return unit(Math.round(ms), "millisecond");
  if (ms < MINUTE) return unit(ms / SECOND, "second");
  const [large, small, size] =
    ms < HOUR
      ? (["minute", "second", MINUTE] as const)
      : ms < DAY
        ? (["hour", "minute", HOUR] as const)
        : (["day", "hour", DAY] as const);
  const rest = { second: SECOND, minute: MINUTE, hour: HOUR }[small];
  const remainder = Math.floor((ms % size) / rest);
  const first = unit(Math.floor(ms / size), large);
  return remainder === 0 ? first : `${first} ${unit(remainder, small)}`;
};

/** Such as "512 byte" or "3.4 MB". */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1_000) return unit(bytes, "byte");
  if (bytes < 1_000_000) return unit(bytes / 1_000, "kilobyte");
  return bytes < 1_000_000_000 ? unit(bytes / 1_000_000, "megabyte") : unit(bytes / 1_000_000_000, "gigabyte");
};

/** An amount of the API: an integer in the currency's smallest unit. Without a currency, the plain number. */
export const formatAmount = (amount: number, currency: string | null): string => {
  if (currency === null) return formatNumber(amount);
  try {
    const format = new Intl.NumberFormat(language, { style: "currency", currency: currency.toUpperCase() });
    const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
    return format.format(amount / 10 ** digits);
  } catch {
    // Not a code of ISO 4217.
    return `${formatNumber(amount)} ${currency.length > 10 ? `${currency.slice(0, 10)}…` : currency}`;
  }
};

const ABBREVIATIONS = /\b(api|id|ids|ip|url|oauth|http)\b/gi;

const spell = (word: string): string => {
  const known: Readonly<Record<string, string>> = { ids: "IDs", oauth: "OAuth" };
  return known[word.toLowerCase()] ?? word.toUpperCase();
};

/** Names of the API as words: `RATE_LIMIT_EXCEEDED` and `retryAfter` as "Rate limit exceeded" and "Retry after". */
export const inWords = (name: string): string => {
  const separate = /^[A-Z0-9_]+$/.test(name) ? name : name.replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  const words = separate
    .replaceAll(/[_\s]+/g, " ")
    .trim()
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replaceAll(ABBREVIATIONS, spell);
};

/** What a colour says. A word beside it says the same. */
export type Tone = "good" | "warn" | "bad" | "quiet" | "accent";
