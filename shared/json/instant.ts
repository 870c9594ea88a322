import * as z from "zod/mini";

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt]((?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?)([Zz]|[+ -]\d{2}:\d{2})$/;
const EPOCH_MS = /^\d{1,15}$/;
const error = "expected epoch milliseconds from 0 on, or a time as RFC 3339 writes it";

/** Epoch milliseconds; undefined if the text is not a valid date, such as the 30th of February. */
const parseInstant = (text: string): number | undefined => {
  if (EPOCH_MS.test(text)) return Number(text);
  const [, date, time, offset] = RFC_3339.exec(text) ?? [];
  if (date === undefined || time === undefined || offset === undefined) return undefined;
  const midnight = new Date(`${date}T00:00:00Z`);
  // JavaScript takes the 30th of February for the 2nd of March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  // A plus sign that was not percent-encoded arrives as a space.
  const instant = Date.parse(`${date}T${time}${offset.toUpperCase().replace(" ", "+")}`);
  return instant >= 0 ? instant : undefined;
};

/** A query parameter that is a time; epoch milliseconds in the program. */
export const InstantParameter = z
  .pipe(
    z.string({ error }).check(z.refine((value) => parseInstant(value) !== undefined, { error })),
    z.transform((value: string) => parseInstant(value) ?? 0),
  )
  .register(z.globalRegistry, {
    override: { type: "string", examples: ["1795219200000", "2026-11-21T00:00:00Z"] },
  });
