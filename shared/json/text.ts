import * as z from "zod/mini";

/**
 * A text of `min` to `max` characters, counted as Unicode code points (a JavaScript string's length counts UTF-16
 * units). JSON Schema's minLength and maxLength count code points too, so the documentation says the same.
 */
export const text = (min: number, max: number, description: string) => {
  const error = `expected a text of ${min} to ${max} characters`;
  return z
    .string({ error })
    .check(
      z.refine(
        (value) => {
          // Every code point is one or two units: the costly count runs only in between.
          if (value.length < min || value.length > 2 * max) return false;
          const length = value.length <= max && min <= 1 ? value.length : [...value].length;
          return length >= min && length <= max;
        },
        { error },
      ),
    )
    .register(z.globalRegistry, { description, override: { type: "string", minLength: min, maxLength: max } });
};
