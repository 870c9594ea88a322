/**
 * Times of day in time zones, for quiet hours, daily digests and mutes. Where a zone's clock is set forward, a time of day may
 * not exist: it counts as reached when the clock jumps over it. Where the clock is set back, a time of day comes twice.
 * `Intl` knows the rules; Node 24 has no Temporal yet. Pure. All times are epoch ms.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./hours.ts";

const SECOND_MS = 1_000;

/** Zones change their offset by at most a day (at the date line), and not twice within this time. */
const BEFORE_CHANGE_MS = 6 * HOUR_MS;

/** Formats are slow to make. An instance meets the zones of its organizations' destinations; each format takes a few KB. */
const formats = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATS = 200;

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  if (formats.size >= MAX_FORMATS) formats.clear();
  const [date, time] = [{ year: "numeric", month: "numeric", day: "numeric" } as const, "numeric" as const];
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    ...date,
    hour: time,
    minute: time,
    second: time,
    hourCycle: "h23",
  });
  formats.set(timeZone, format);
  return format;
};

/** How far the zone's clock is ahead of UTC at a time, ms. */
const offsetAt = (at: number, timeZone: string): number => {
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / SECOND_MS) * SECOND_MS;
};

/** The remainder of a division that is never negative. */
const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

/** `22:30` in ms since midnight. */
const msOf = (timeOfDay: string): number => {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  return hours * HOUR_MS + minutes * MINUTE_MS;
};

/** The first time after `start`, until `end`, at which the zone's offset is another; undefined if it stays. */
const offsetChange = (start: number, end: number, timeZone: string): number | undefined => {
  const offset = offsetAt(start, timeZone);
  if (offsetAt(end, timeZone) === offset) return undefined;
  let [before, after] = [start, end];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle, timeZone) === offset) before = middle;
    else after = middle;
  }
  return after;
};

/** The first time after `after` at which the zone's clock shows a time of day, or is set forward over it. */
export const nextTimeOfDay = (after: number, timeOfDay: string, timeZone: string): number => {
  const target = msOf(timeOfDay);
  for (let start = after; ; ) {
    const offset = offsetAt(start, timeZone);
    // From 1 ms to a day.
    const wait = modulo(target - (start + offset) - 1, DAY_MS) + 1;
    const change = offsetChange(start, start + wait, timeZone);
    if (change === undefined) return start + wait;
    const jump = offsetAt(change, timeZone) - offset;
    if (modulo(target - (change + offset), DAY_MS) <= jump) return change;
    start = change;
  }
};

/** Whether the zone's clock showed the same date and time once before, because it was set back since. */
const isSecondTime = (at: number, timeZone: string): boolean => {
  const offset = offsetAt(at, timeZone);
  const setBack = offsetAt(at - BEFORE_CHANGE_MS, timeZone) - offset;
  return setBack > 0 && offsetAt(at - setBack, timeZone) === offset + setBack;
};

/** The first time after `after` at which a day's time of day begins, once a day. */
export const nextDaily = (after: number, timeOfDay: string, timeZone: string): number => {
  const next = nextTimeOfDay(after, timeOfDay, timeZone);
  return isSecondTime(next, timeZone) ? nextDaily(next, timeOfDay, timeZone) : next;
};

type Hours = { from: string; to: string; timeZone: string };

/** Whether the zone's clock shows a time of the hours: `from` inclusive, `to` exclusive, midnight perhaps between them. */
export const isWithin = (at: number, { from, to, timeZone }: Hours): boolean => {
  const now = modulo(at + offsetAt(at, timeZone), DAY_MS);
  return modulo(now - msOf(from), DAY_MS) < modulo(msOf(to) - msOf(from), DAY_MS);
};

/** When the hours end that `at` lies within: when the clock shows `to`, or is set forward over it. */
export const endOf = (hours: Hours, at: number): number => {
  const end = nextTimeOfDay(at, hours.to, hours.timeZone);
  return isWithin(end, hours) ? endOf(hours, end) : end;
};

/** The date and time that the zone's clock shows, as ms since 1970 of a clock in UTC that shows the same. */
export const clockAt = (at: number, timeZone: string): number => at + offsetAt(at, timeZone);

/**
 * When the zone's clock first shows a date and time, or is set forward over it.
 * @param clock the date and time, as `clockAt` returns it.
 */
export const timeOfClock = (clock: number, timeZone: string): number => {
  const [start, end] = [clock - DAY_MS, clock + DAY_MS];
  for (const offset of [offsetAt(start, timeZone), offsetAt(end, timeZone)]) {
    const at = clock - offset;
    if (offsetAt(at, timeZone) === offset) return at;
  }
  return offsetChange(start, end, timeZone) ?? clock - offsetAt(start, timeZone);
};
