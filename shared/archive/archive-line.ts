/** The lines of an hour's object in the archive, in order of the events' ids. Pure. docs/exports.md, "The archive". */
import * as z from "zod/mini";
import { encodeJson } from "../json/encode-json.ts";
import type { StoredSeal } from "../security/event-item.ts";
import { SecurityEvent } from "../security/security-event.ts";

/**
 * An event with what its leaf needs. `index`: of its leaf in the hour; undefined if it is not sealed. `hash`: the leaf
 * from before the erasure `erasure` emptied the event. `processed` and the like are as when the hour was written.
 */
export type ArchivedEvent = Omit<StoredSeal, "isLate"> & { event: SecurityEvent; index?: number | undefined };

const base64 = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString("base64");

/** The same event gives the same text. The id comes first (`idOfLine`). */
export const toLine = ({ event, index, salt, hash, erasure }: ArchivedEvent): string =>
  encodeJson({ ...event, index, salt: base64(salt), hash: base64(hash), erasure });

const bytes = z.pipe(
  z.string(),
  z.transform((text: string): Uint8Array => Buffer.from(text, "base64")),
);

const Line = z.extend(SecurityEvent, {
  index: z.optional(z.number()),
  salt: z.optional(bytes),
  hash: z.optional(bytes),
  erasure: z.optional(z.string()),
});

/** @throws ZodError if toLine did not make the line. */
export const parseLine = (line: string): ArchivedEvent => {
  const { index, salt, hash, erasure, metadata, ...fields } = Line.parse(JSON.parse(line));
  // In the order that an event of the tables has.
  const event = metadata === undefined ? fields : { ...fields, metadata };
  return { event, index, salt, hash, erasure };
};

const ID_STARTS = '{"id":"'.length;
const ID_CHARACTERS = 26;

/** The id of a line's event, without parsing the line. */
export const idOfLine = (line: string): string => line.slice(ID_STARTS, ID_STARTS + ID_CHARACTERS);
