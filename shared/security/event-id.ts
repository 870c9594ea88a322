/**
 * Ids that sort by time: ULIDs, 10 characters of time in milliseconds and 16 random ones, in Crockford's base 32. As a
 * sort key they order events, and the time can be read back from them. https://github.com/ulid/spec
 */
import { createHash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
/** The random bytes of an id. */
export const RANDOM_BYTES = RANDOM_CHARACTERS;

const FORM = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const encodeTime = (timestamp: number): string => {
  let rest = timestamp;
  let text = "";
  for (let i = 0; i < TIME_CHARACTERS; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/**
 * @param timestamp epoch ms.
 * @param random 16 bytes; five bits of each are used. Random for a new event; a digest if the same event must get the
 *   same id again (`identityOf`).
 */
export const eventId = (timestamp: number, random: Uint8Array): string =>
  encodeTime(timestamp) +
  Array.from(random.subarray(0, RANDOM_CHARACTERS), (byte) => ALPHABET.charAt(byte % 32)).join("");

/** The lowest id of a time: `id >= firstIdAt(since)` selects the events from then on. */
export const firstIdAt = (timestamp: number): string => encodeTime(timestamp) + "0".repeat(RANDOM_CHARACTERS);

/** The highest id of a time. */
export const lastIdAt = (timestamp: number): string => encodeTime(timestamp) + "Z".repeat(RANDOM_CHARACTERS);

/** Not lower than any id. */
export const LAST_ID = "Z".repeat(TIME_CHARACTERS + RANDOM_CHARACTERS);

/** The time in an id, epoch ms; undefined if the text is not an id. */
export const timeOfEventId = (id: string): number | undefined => {
  if (!FORM.test(id)) return undefined;
  let time = 0;
  for (const character of id.slice(0, TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
  return time;
};

/** 16 bytes that are the same for the same name: for an event that may be recorded twice but must be stored once. */
export const identityOf = (...name: readonly (string | number)[]): Uint8Array =>
  createHash("sha256").update(JSON.stringify(name)).digest().subarray(0, RANDOM_BYTES);
