/**
 * Makes the objects of the archive: an hour's events with the indexes of their leaves. An hour waits until it is sealed.
 * Hours from before the log's start are never sealed, so their lines have no index. docs/exports.md, "The archive".
 */
import type { SealedHour } from "../evidence/hour-leaves.ts";
import { type ArchiveSpan, endOfArchive, isInTables } from "./archive-hour.ts";
import { toLine } from "./archive-line.ts";
import type { ArchiveStore } from "./archive-store.ts";
import type { HourWriter } from "./write-due-hours.ts";
import type { Hour, HourFile } from "./write-hour.ts";

type Versions = Pick<SealedHour, "count" | "late"> & { expiresAt?: number | undefined };

/**
 * How an hour is sealed: by its versions, with the time when the tables lose the first event; "later" if no version exists yet,
 * "never" before the log's start.
 */
export type SealOfHour = (hour: Hour) => Promise<Versions | "later" | "never">;

/**
 * The index of each event's leaf, for the events of an hour in order of their ids; undefined for a late event that no
 * version has.
 */
const createIndexes = ({ count, late: [first = [], ...later] }: Versions) => {
  const appended = later.flat();
  const inFirst = count - appended.length;
  const indexes = new Map(appended.map((id, position) => [id, inFirst + position]));
  const lateInFirst = new Set(first);
  let next = 0;
  return (id: string, isLate: boolean): number | undefined => {
    const index = indexes.get(id);
    if (index !== undefined) return index;
    const isOfFirst = (!isLate || lateInFirst.has(id)) && next < inFirst;
    return isOfFirst ? next++ : undefined;
  };
};

const unsealed = () => undefined;

/** Writing takes less. An object that is written after its end would stay until the bucket's lifecycle deletes it. */
const MARGIN_MS = 15 * 60_000;

export type ArchiveWriterDependencies = { sealOf: SealOfHour; span: ArchiveSpan };

/** The object of an hour, written by `write`. @returns "none" if its events are no longer in the tables, or it is to end. */
export const archiveFileOf = async (
  { sealOf, span }: ArchiveWriterDependencies,
  hour: Hour,
  now: number,
  write: (body: Uint8Array) => Promise<void>,
): Promise<HourFile | "none" | "later"> => {
  if (!isInTables(hour.hour, now, span)) return "none";
  if (endOfArchive(hour.hour, span.months) <= now + MARGIN_MS) return "none";
  const sealed = await sealOf(hour);
  if (sealed === "later") return "later";
  // Events may have been recorded with a shorter retention than today's.
  if (sealed !== "never" && sealed.expiresAt !== undefined && sealed.expiresAt <= now + MARGIN_MS) return "none";
  const indexOf = sealed === "never" ? unsealed : createIndexes(sealed);
  let isWhole = true;
  return {
    lineOf({ event, seal: { isLate, ...seal } }) {
      const index = indexOf(event.id, isLate);
      if (index === undefined && sealed !== "never") isWhole = false;
      return toLine({ event, index, ...seal });
    },
    async write(body) {
      // Events do not vanish before they expire. Without any, the object must not be replaced.
      if (body !== undefined) await write(body);
      return isWhole;
    },
  };
};

export const createArchiveWriter = (
  dependencies: ArchiveWriterDependencies & { archive: Pick<ArchiveStore, "put"> },
): HourWriter => ({
  fileOf: (hour, now) =>
    archiveFileOf(dependencies, hour, now, (body) => dependencies.archive.put(hour.scope, hour.hour, body)),
});
