/** Names of fields that hold a time, in the service's answers and in the control server's. */
const TIME_FIELD = /^(?:at|from|to|now|since|until|time|timestamp)$|(?:At|Seen|Start|End|Since|Until)$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
/** Smaller numbers in such fields are something else: this is a day in 1973. */
const MIN_EPOCH_MS = 100_000_000_000;
const UNITS = [
  [86_400_000, "days"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
] as const;

/** `3 min ago`, `in 2 h`, `now`. */
export const relativeTime = (epochMs: number, nowMs: number): string => {
  const span = Math.abs(epochMs - nowMs);
  const [unitMs, unit] = UNITS.find(([ms]) => span >= ms) ?? [1, undefined];
  if (unit === undefined) return "now";
  const count = Math.round(span / unitMs);
  const length = `${count} ${unit === "days" && count === 1 ? "day" : unit}`;
  return epochMs < nowMs ? `${length} ago` : `in ${length}`;
};

/**
 * What to write beside a value of JSON that is a time: `2026-11-22T14:00:00.000Z, 3 min ago`.
 * @param value a number in epoch ms in a field that holds times, or a string with a time of RFC 3339
 * @param nowMs the local cloud's clock
 * @returns undefined if the value is no time
 */
export const timeNote = (field: string, value: unknown, nowMs: number): string | undefined => {
  if (typeof value === "string") return ISO_TIME.test(value) ? relativeTime(Date.parse(value), nowMs) : undefined;
  if (typeof value !== "number" || !TIME_FIELD.test(field) || value < MIN_EPOCH_MS) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString()}, ${relativeTime(value, nowMs)}`;
};
