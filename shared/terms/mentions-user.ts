/**
 * Where a user is named: the id as a word of its own in any text, at any depth. Pure.
 *
 * An id within a longer word is another word ("ada" is not in "canada"); any other character around it ends it, so
 * that "user:ada", "ada's" and "ada@example.com" name ada. Too much goes rather than too little.
 */

const WORD_BEFORE = /[\p{L}\p{M}\p{N}_]$/u;
const WORD_AFTER = /^[\p{L}\p{M}\p{N}_]/u;

/** At the ends of an id that is no word there, every character ends it. */
const isWordThere = (id: string, text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + id.length, at + id.length + 2);
  const continuesBefore = WORD_AFTER.test(id) && WORD_BEFORE.test(before);
  const continuesAfter = WORD_BEFORE.test(id) && WORD_AFTER.test(after);
  return !continuesBefore && !continuesAfter;
};

const namesText = (id: string, text: string): boolean => {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    if (isWordThere(id, text, at)) return true;
  }
  return false;
};

/** Days and hours are ours, and name nobody. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2})?$/;

export type Naming = ReturnType<typeof createNaming>;

/** @param ids what the user is called: the id, and what stands for it. */
export const createNaming = (ids: readonly string[]) => {
  const inText = (text: string): boolean =>
    ids.includes(text) || (!TIME.test(text) && ids.some((id) => namesText(id, text)));

  /** Whether a value of any shape names the user, in keys or in texts. */
  const names = (value: unknown): boolean => {
    if (typeof value === "string") return inText(value);
    if (value instanceof Uint8Array || typeof value !== "object" || value === null) return false;
    if (value instanceof Set) return [...value].some(names);
    if (Array.isArray(value)) return value.some(names);
    return Object.entries(value).some(([key, part]) => inText(key) || names(part));
  };

  /**
   * The same without the user, in the same shape: from lists go the elements that name them, from objects the keys that
   * do, and texts become empty.
   */
  const without = (value: unknown): unknown => {
    if (!names(value)) return value;
    if (Array.isArray(value)) return value.filter((element) => !names(element));
    if (value instanceof Set) return new Set([...value].filter((element) => !names(element)));
    if (typeof value !== "object" || value === null) return "";
    const entries = Object.entries(value).filter(([key]) => !inText(key));
    return Object.fromEntries(entries.map(([key, part]) => [key, without(part)]));
  };

  return { names, without };
};
