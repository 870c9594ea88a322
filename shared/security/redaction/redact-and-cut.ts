/** Redacts and cuts the texts and metadata of events. Redaction comes first: half of a secret is not recognised. */
import { encodeJson } from "../../json/encode-json.ts";
import { CUT_MARK } from "../../terms/mentions-user.ts";
import { type Json, redact } from "./redact.ts";
import { redactText } from "./redact-text.ts";
import { meaningOfName } from "./sensitive-name.ts";

const CUT_MARK_CHARACTERS = [...CUT_MARK].length;

/** The first `count` code points of a text. */
const firstCharacters = (text: string, count: number): string => {
  if (text.length <= count) return text;
  let units = 0;
  for (let i = 0; i < count && units < text.length; i++) units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, units);
};

/** Cuts a text to the given number of code points; a cut text ends in "…[cut]". */
export const cutText = (text: string, maxCharacters: number): string => {
  if (firstCharacters(text, maxCharacters).length === text.length) return text;
  if (maxCharacters < CUT_MARK_CHARACTERS) return firstCharacters(text, maxCharacters);
  return firstCharacters(text, maxCharacters - CUT_MARK_CHARACTERS) + CUT_MARK;
};

/** Source: docs/decisions.md, "Security events". */
const MAX_METADATA_BYTES = 2_048;

const bytesOf = (value: Json): number => Buffer.byteLength(encodeJson(value));

const ONLY_CUT_BYTES = bytesOf({ cut: true });

/** The order in which fields are kept: our numeric fields, then other numbers and booleans, then texts and objects. */
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

/** The first elements that fit, then the mark. */
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
    // Each field also takes its key, a colon and a comma.
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
 * Cuts metadata to `maxBytes` of UTF-8 JSON. A cut object keeps its numbers, then its other values as far as they fit,
 * and gets `"cut": true`. A cut text or array becomes `{"value": <its beginning>, "cut": true}`.
 * @param maxBytes at least 12, the length of `{"cut":true}`.
 */
export const cutMetadata = (value: Json, maxBytes = MAX_METADATA_BYTES): Json => {
  if (bytesOf(value) <= maxBytes) return value;
  return shortenObject(
    typeof value === "object" && value !== null && !Array.isArray(value) ? value : { value },
    maxBytes,
  );
};

/** Redacts a text and cuts it to the given number of code points; a cut text ends in "…[cut]". */
export const sanitiseText = (text: string, maxCharacters: number): string => cutText(redactText(text), maxCharacters);

/** Redacts metadata and cuts it to 2 KB of UTF-8 JSON; cut metadata has `"cut": true`. */
export const sanitiseMetadata = (metadata: unknown): Json => cutMetadata(redact(metadata));
