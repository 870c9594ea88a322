import * as z from "zod/mini";

/** A list of a request without repetitions. @param what the elements in the plural, as in `expected a list of 1 to 4 levels`. */
export const uniqueList = <Schema extends z.ZodMiniType>(element: Schema, min: number, max: number, what: string) => {
  const error = `expected a list of ${min} to ${max} ${what}, each once`;
  return z
    .array(element, { error })
    .check(
      z.minLength(min, { error }),
      z.maxLength(max, { error }),
      z.refine((elements) => new Set(elements).size === elements.length, { error }),
    )
    .register(z.globalRegistry, { override: { uniqueItems: true } });
};

/** One of a list of words, in their own case. */
export const oneOf = <const Words extends readonly string[]>(words: Words) =>
  z.enum(words, { error: `expected one of ${words.join(", ")}` });
