/** The keys under which customers are found by the beginning of a name or of an e-mail address. Pure. */

/** A key of this many characters has at most 800 bytes; DynamoDB takes 1,024. */
const MAX_CHARACTERS = 200;

/** A text as searches compare it: the same for upper and lower case, and for both forms of an accented letter. */
const searchTextOf = (text: string): string => text.toWellFormed().normalize("NFKC").toLowerCase();

/** The key of a text; undefined if there is none. */
export const searchKeyOf = (text: string | null): string | undefined =>
  [...searchTextOf(text ?? "")].slice(0, MAX_CHARACTERS).join("") || undefined;
