/** Formats numbers, times and names for readers. All times are UTC. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/hours.ts";

const integers = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const decimals = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** Only names come from Intl: complete dates differ between versions of its data. */
const nameOf = (parts: Intl.DateTimeFormatOptions) => {
  const names = new Intl.DateTimeFormat("en", { ...parts, timeZone: "UTC" });
  return (time: number): string => names.format(time);
};
const weekday = nameOf({ weekday: "long" });
const month = nameOf({ month: "long" });
const shortMonth = nameOf({ month: "short" });
const dayOfMonth = (time: number): number => new Date(time).getUTCDate();

export const formatCount = (count: number): string => integers.format(count);

/** With one decimal unless it is an integer. */
export const formatNumber = (number: number): string => decimals.format(number);

/** A share as a length in SVG and CSS: 0.25 is `25%`. */
export const percent = (share: number): string => `${Math.round(share * 10_000) / 100}%`;

/** @param share 0.25 is 25 %. */
export const formatShare = (share: number): string =>
  `${share > 0 && share < 0.1 ? decimals.format(share * 100) : integers.format(share * 100)} %`;

/** `21 November 2026` */
export const formatDate = (time: number): string =>
  `${dayOfMonth(time)} ${month(time)} ${new Date(time).getUTCFullYear()}`;
/** `November 2026` */
export const formatMonth = (time: number): string => `${month(time)} ${new Date(time).getUTCFullYear()}`;
/** `Saturday, 21 November 2026` */
export const formatDay = (time: number): string => `${weekday(time)}, ${formatDate(time)}`;
/** `21 Nov` */
export const formatShortDay = (time: number): string => `${dayOfMonth(time)} ${shortMonth(time)}`;
/** `10:31:07` */
export const formatClock = (time: number): string => new Date(time).toISOString().slice(11, 19);
/** `21 Nov, 10:31` */
export const formatMoment = (time: number): string => `${formatShortDay(time)}, ${formatClock(time).slice(0, 5)}`;

/** The first and the last day of a period whose end is exclusive: `16 Nov – 22 Nov`. */
export const formatSpan = (from: number, to: number): string =>
  `${formatShortDay(from)} – ${formatShortDay(to - DAY_MS)}`;

const SECOND_MS = 1_000;

/** The two largest units of a duration: `3 h 20 min`. */
export const formatDuration = (ms: number): string => {
  const units = [
    [DAY_MS, "d"],
    [HOUR_MS, "h"],
    [MINUTE_MS, "min"],
    [SECOND_MS, "s"],
  ] as const;
  const first = units.findIndex(([length]) => ms >= length);
  if (first === -1) return ms > 0 ? "< 1 s" : "0 s";
  let rest = ms;
  const parts: string[] = [];
  for (const [length, name] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(" ");
};

/** The unit of an axis of durations, so that its end is round: an hour, a minute or a second, in ms. */
export const durationUnit = (greatestMs: number): number =>
  [HOUR_MS, MINUTE_MS].find((unit) => greatestMs >= unit) ?? SECOND_MS;

/** `circuit_breaker` becomes `circuit breaker`, and `unusual_api_usage` as `unusual API usage`. */
export const words = (name: string): string => name.replaceAll("_", " ").replaceAll(/\bapi\b/g, "API");

/** `Circuit breaker` */
export const title = (name: string): string => {
  const text = words(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export const plural = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
