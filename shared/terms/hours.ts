/** UTC hours and days of statistics. Any time of an hour or day identifies it; names sort by time. Pure. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The end of the year 9999: later names are longer and would not sort by time. */
export const END_OF_TIME_MS = Date.UTC(9999, 11, 31) + DAY_MS;

/** The start of the hour of a time, epoch ms. */
export const startOfHour = (time: number): number => Math.floor(time / HOUR_MS) * HOUR_MS;

/** Epoch seconds. All events of an hour expire together, so that its rollup can expire with them. */
export const expiryOf = (timestamp: number, retentionDays: number): number =>
  (startOfHour(timestamp) + HOUR_MS + retentionDays * DAY_MS) / 1_000;

/** The start of the day of a time, epoch ms. */
export const startOfDay = (time: number): number => Math.floor(time / DAY_MS) * DAY_MS;

/** The start of a time's month, or of a later one, epoch ms. */
export const startOfMonth = (time: number, later = 0): number => {
  const date = new Date(time);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};

/** `2026-11-21T10`, for any time of that hour. */
export const hourName = (time: number): string => new Date(time).toISOString().slice(0, 13);

/** `2026-11-21`, for any time of that day. */
export const dayName = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The start of the hour or day of a name, epoch ms. */
export const timeOfName = (name: string): number => Date.parse(name.length === 13 ? `${name}:00Z` : name);
