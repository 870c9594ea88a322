import * as z from "zod/mini";

/** A pattern of the word in any case. Only ASCII: a case-insensitive expression would take `ſ` for an `s`. */
const inAnyCase = (word: string): string =>
  word.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);

/**
 * One of a list of words, accepted in any case. The OpenAPI document lists the words in their own case only, so that a
 * generated client has their enumeration as a type.
 * @param toCase gives a text the case of the words.
 * @param component the component of the document that lists the words already.
 */
export const word = <const Words extends readonly string[]>(
  words: Words,
  toCase: (text: string) => string,
  description: string,
  component?: string,
) => {
  const error = `expected one of ${words.join(", ")}`;
  const pattern = new RegExp(`^(?:${words.map(inAnyCase).join("|")})$`);
  return z
    .pipe(z.pipe(z.string({ error }).check(z.regex(pattern, { error })), z.transform(toCase)), z.enum(words, { error }))
    .register(z.globalRegistry, {
      description,
      override: ({ jsonSchema }) => {
        delete jsonSchema.type;
        delete jsonSchema.pattern;
        Object.assign(
          jsonSchema,
          component === undefined
            ? { type: "string", enum: [...words] }
            : { $ref: `#/components/schemas/${component}` },
        );
      },
    });
};

export const upperCase = (text: string): string => text.toUpperCase();
export const lowerCase = (text: string): string => text.toLowerCase();
