/**
 * Identifier matching: whether a value of any shape mentions a user, and the value without the mentions. Pure.
 *
 * An identifier matches as a whole word: "ada" does not match in "canada", but matches in "user:ada", "ada's" and
 * "ada@example.com". In doubt it matches, so an erasure removes too much rather than too little: in a text that was cut, a
 * beginning of the identifier before the cut matches as well.
 */

/** The end of a text that was cut (security/redaction/redact-and-cut.ts). */
export const CUT_MARK = "…[cut]";

const WORD_BEFORE = /[\p{L}\p{M}\p{N}_]$/u;
const WORD_AFTER = /^[\p{L}\p{M}\p{N}_]/u;

/** An end of the identifier that is not a word character needs no word boundary. */
const isWholeWord = (id: string, text: string, at: number): boolean => {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + id.length, at + id.length + 2);
  const continuesBefore = WORD_AFTER.test(id) && WORD_BEFORE.test(before);
  const continuesAfter = WORD_BEFORE.test(id) && WORD_AFTER.test(after);
  return !continuesBefore && !continuesAfter;
};

const occursIn = (text: string, id: string): boolean => {
  for (let at = text.indexOf(id); at !== -1; at = text.indexOf(id, at + 1)) {
    if (isWholeWord(id, text, at)) return true;
  }
  return false;
};

/** Whether a text was cut within the identifier. */
const isCutIn = (text: string, id: string): boolean => {
  if (!text.endsWith(CUT_MARK)) return false;
  const kept = text.slice(0, -CUT_MARK.length);
  for (let at = Math.max(0, kept.length - id.length + 1); at < kept.length; at++) {
    const isStart = !WORD_AFTER.test(id) || !WORD_BEFORE.test(kept.slice(Math.max(0, at - 2), at));
    if (isStart && id.startsWith(kept.slice(at))) return true;
  }
  return false;
};

/** The service writes days and hours itself; an identifier such as "2026" must not match in them. */
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2})?$/;

export type UserMatcher = ReturnType<typeof createUserMatcher>;

/** @param ids the user's id, and other texts that identify the user, such as addresses or hashes. */
export const createUserMatcher = (ids: readonly string[]) => {
  const mentionsInText = (text: string): boolean =>
    ids.includes(text) || (!TIME.test(text) && ids.some((id) => occursIn(text, id) || isCutIn(text, id)));

  /** Whether a value mentions the user in a key or text, at any depth. */
  const mentions = (value: unknown): boolean => {
    if (typeof value === "string") return mentionsInText(value);
    if (value instanceof Uint8Array || typeof value !== "object" || value === null) return false;
    if (value instanceof Set) return [...value].some(mentions);
    if (Array.isArray(value)) return value.some(mentions);
    return Object.entries(value).some(([key, part]) => mentionsInText(key) || mentions(part));
  };

  /**
   * The value without mentions, in the same shape: list elements and object keys that mention the user are removed, and
   * texts that do become empty.
   */
  const withoutMentions = (value: unknown): unknown => {
    if (!mentions(value)) return value;
    if (Array.isArray(value)) return value.filter((element) => !mentions(element));
    if (value instanceof Set) return new Set([...value].filter((element) => !mentions(element)));
    if (typeof value !== "object" || value === null) return "";
    const entries = Object.entries(value).filter(([key]) => !mentionsInText(key));
    return Object.fromEntries(entries.map(([key, part]) => [key, withoutMentions(part)]));
  };

  return { mentions, withoutMentions };
};
