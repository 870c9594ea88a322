import * as z from "zod/mini";

/** One of a list of words, accepted in any case. @param toCase gives a text the case of the words. */
export const word = <const Words extends readonly string[]>(
  words: Words,
  toCase: (text: string) => string,
  description: string,
) => {
  const error = `expected one of ${words.join(", ")}`;
  return z
    .pipe(z.pipe(z.string({ error }), z.transform(toCase)), z.enum(words, { error }))
    .register(z.globalRegistry, { description, override: { type: "string", enum: [...words] } });
};

export const upperCase = (text: string): string => text.toUpperCase();
export const lowerCase = (text: string): string => text.toLowerCase();
