/** What events store: redacted first, then cut, since half of a secret would not be recognised any more. */
import { encodeJson } from "../../json/encode-json.ts";
import { type Json, redact, redactText } from "./redact.ts";
import { meaningOfName } from "./sensitive-name.ts";

export const CUT_MARK = "…[cut]";
const CUT_MARK_CHARACTERS = [...CUT_MARK].length;

/** The first so many code points of a text. */
export const firstCharacters = (text: string, count: number): string => {
  if (text.length <= count) return text;
  let units = 0;
  for (let i = 0; i < count && units < text.length; i++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, units);
};

/** A text of at most so many code points: a longer one is cut, never within a code point, and ends in "…[cut]". */
export const cutText = (text: string, maxCharacters: number): string => {
  if (firstCharacters(text, maxCharacters).length === text.length) return text;
  // No bound in use is that small; without room for the mark the bound wins.
  if (maxCharacters < CUT_MARK_CHARACTERS) return firstCharacters(text, maxCharacters);
  return firstCharacters(text, maxCharacters - CUT_MARK_CHARACTERS) + CUT_MARK;
};

/** Source: docs/decisions.md, "Security events". */
export const MAX_METADATA_BYTES = 2_048;

const bytesOf = (value: Json): number => Buffer.byteLength(encodeJson(value));

const ONLY_CUT_BYTES = bytesOf({ cut: true });

/** Our numeric fields come first, then what else is small whatever it says, then the rest by size. */
const rankOf = (key: string, value: Json): number => {
  if (typeof value === "string" || (typeof value === "object" && value !== null)) return 2;
  return meaningOfName(key).numeric === true ? 0 : 1;
};

const shortenText = (text: string, maxBytes: number): Json | undefined => {
  let left = maxBytes - bytesOf(CUT_MARK);
  let characters = 0;
  for (const character of text) {
    left -= bytesOf(character) - 2;
    if (left < 0) break;
    characters++;
  }
  return characters === 0 ? undefined : firstCharacters(text, characters) + CUT_MARK;
};

/** The leading elements that fit, then the mark. */
const shortenArray = (values: readonly Json[], maxBytes: number): Json | undefined => {
  let left = maxBytes - bytesOf([CUT_MARK]);
  const fitting: Json[] = [];
  for (const value of values) {
    left -= bytesOf(value) + 1;
    if (left < 0) break;
    fitting.push(value);
  }
  return fitting.length === 0 ? undefined : [...fitting, CUT_MARK];
};

const shortenObject = (value: { [key: string]: Json }, maxBytes: number): Json => {
  let left = maxBytes - ONLY_CUT_BYTES;
  const fields = Object.entries(value)
    .filter(([key]) => key !== "cut")
    .map(([key, part]) => ({ key, part, bytes: bytesOf(part), rank: rankOf(key, part) }))
    .sort((a, b) => a.rank - b.rank || a.bytes - b.bytes);
  const fitting: [string, Json][] = [];
  for (const { key, part, bytes } of fields) {
    // The key, a colon and a comma.
    const room = left - bytesOf(key) - 2;
    const kept = bytes <= room ? part : shorten(part, room);
    if (kept === undefined) continue;
    fitting.push([key, kept]);
    left = room - bytesOf(kept);
  }
  return Object.fromEntries([...fitting, ["cut", true]]);
};

const shorten = (value: Json, maxBytes: number): Json | undefined => {
  if (typeof value === "string") return shortenText(value, maxBytes);
  if (Array.isArray(value)) return shortenArray(value, maxBytes);
  if (typeof value !== "object" || value === null || maxBytes < ONLY_CUT_BYTES) return undefined;
  return shortenObject(value, maxBytes);
};

/**
 * Metadata of at most so many bytes of UTF-8 JSON. A larger object keeps its numbers first, its longer values as far
 * as they fit, and says `"cut": true`; a larger text or array becomes `{"value": <its beginning>, "cut": true}`.
 * @param maxBytes at least the 12 of `{"cut":true}`.
 */
export const cutMetadata = (value: Json, maxBytes = MAX_METADATA_BYTES): Json => {
  if (bytesOf(value) <= maxBytes) return value;
  return shortenObject(
    typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value },
    maxBytes,
  );
};

/** A text of at most so many code points; a longer one ends in "…[cut]". */
export const sanitiseText = (text: string, maxCharacters: number): string => cutText(redactText(text), maxCharacters);

/** Metadata of at most 2 KB of UTF-8 JSON; a larger one says `"cut": true`. */
export const sanitiseMetadata = (metadata: unknown): Json => cutMetadata(redact(metadata));
