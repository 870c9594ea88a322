/** Times of day and time zones of requests. zoned-time.ts of terms/ computes with them. Pure. */
import * as z from "zod/mini";

const TIME_EXPECTED = "expected a time of day such as 22:00";
/** A time of day, `00:00` to `23:59`. */
export const timeOfDay = z
  .string({ error: TIME_EXPECTED })
  .check(z.regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, { error: TIME_EXPECTED }));

export const ZONE_EXPECTED = "expected the name of a time zone such as Europe/Berlin";

/** The form of a name of the IANA database; `isTimeZone` looks whether there is such a zone. */
export const timeZone = z
  .string({ error: ZONE_EXPECTED })
  .check(z.regex(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/, { error: ZONE_EXPECTED }));

/** Whether this runtime knows a time zone of the IANA database; `UTC` is one. */
export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
