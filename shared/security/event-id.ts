/**
 * Ids that are in order of time: ULIDs, 10 characters of time in milliseconds and 16 of randomness, in Crockford's
 * base 32. As a sort key they give events their order, and their time can be read back. https://github.com/ulid/spec
 */
import { createHash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
/** How many bytes of randomness an id takes. */
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
 * @param random 16 bytes, of each of which five bits are used: random ones for a new event, a digest's where the same
 *   event must get the same id again.
 */
export const eventId = (timestamp: number, random: Uint8Array): string =>
  encodeTime(timestamp) +
  Array.from(random.subarray(0, RANDOM_CHARACTERS), (byte) => ALPHABET.charAt(byte % 32)).join("");

/** The least id of a time: `id >= firstIdAt(since)` are the events from then on. */
export const firstIdAt = (timestamp: number): string => encodeTime(timestamp) + "0".repeat(RANDOM_CHARACTERS);

/** The time in an id in epoch ms; undefined for what is none. */
export const timeOfEventId = (id: string): number | undefined => {
  if (!FORM.test(id)) return undefined;
  let time = 0;
  for (const character of id.slice(0, TIME_CHARACTERS)) time = time * 32 + ALPHABET.indexOf(character);
  return time;
};

/** 16 bytes that are the same for the same name: for an event that may be recorded twice and must be one. */
export const identityOf = (...name: readonly (string | number)[]): Uint8Array =>
  createHash("sha256").update(JSON.stringify(name)).digest().subarray(0, RANDOM_BYTES);
