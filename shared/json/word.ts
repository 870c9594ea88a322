import * as z from "zod/mini";

/** A pattern of the word in any case. Only ASCII: a case-insensitive expression would take `ſ` for an `s`. */
const inAnyCase = (word: string): string =>
  word.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);

/** One of a list of words, accepted in any case. @param toCase gives a text the case of the words. */
export const word = <const Words extends readonly string[]>(
  words: Words,
  toCase: (text: string) => string,
  description: string,
) => {
  const error = `expected one of ${words.join(", ")}`;
  const pattern = `^(?:${words.map(inAnyCase).join("|")})$`;
  return z
    .pipe(
      z.pipe(z.string({ error }).check(z.regex(new RegExp(pattern), { error })), z.transform(toCase)),
      z.enum(words, { error }),
    )
    .register(z.globalRegistry, {
      description,
      override: { type: "string", anyOf: [{ enum: [...words] }, { pattern }] },
    });
};

export const upperCase = (text: string): string => text.toUpperCase();
export const lowerCase = (text: string): string => text.toLowerCase();
