import * as z from "zod/mini";

const YEAR = "(?:19[7-9][0-9]|[2-9][0-9]{3})";
const LEAP_YEAR = "(?:19(?:[79][26]|8[048])|[2-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[3579][26])00)";
const DAY_OF_MONTH = [
  "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])",
  "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
  "02-(?:0[1-9]|1[0-9]|2[0-8])",
].join("|");
const TIME_OF_DAY = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";

/**
 * Epoch milliseconds, or a time of RFC 3339 from 1970 on, without leap seconds. The calendar is part of the pattern, so that
 * the OpenAPI document has the whole rule. A plus sign that was not percent-encoded arrives as a space.
 */
const INSTANT = new RegExp(
  `^(?:[0-9]{1,15}|(?:${YEAR}-(?:${DAY_OF_MONTH})|${LEAP_YEAR}-02-29)` +
    `[Tt]${TIME_OF_DAY}:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+ -]${TIME_OF_DAY}))$`,
);

const error = "expected epoch milliseconds from 0 on, or a time as RFC 3339 writes it";

/** Epoch milliseconds. An offset can move the first hours of 1970 before 0, where nothing is stored. */
const toEpochMs = (text: string): number =>
  text.includes("-") ? Math.max(0, Date.parse(text.toUpperCase().replace(" ", "+"))) : Number(text);

/**
 * A query parameter that is a time; epoch milliseconds in the program.
 * @param description what the time means, as a sentence; the format is added.
 */
export const instantParameter = (description: string) =>
  z.pipe(z.string({ error }).check(z.regex(INSTANT, { error })), z.transform(toEpochMs)).register(z.globalRegistry, {
    description: `${description} Epoch milliseconds, or a time as RFC 3339 writes it.`,
    examples: ["1795219200000", "2026-11-21T00:00:00Z"],
  });
