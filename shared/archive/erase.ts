/**
 * What an erasure does to the archive: it empties the events of each object like those of the tables. An hour that the
 * tables still have is written from them again, so that both have the same salts; of an older hour, the lines are emptied.
 * An object that somebody else has changed meanwhile is left to the next pass. docs/erasure.md, "The archive".
 */
import type { Clock } from "../runtime/clock.ts";
import { toErasableItem, updatedItem } from "../security/erasable-item.ts";
import { cleanEvent, cleanNextOfUser, type ErasedUser, emptied } from "../security/erase.ts";
import { fromItem, sealOf } from "../security/event-item.ts";
import type { AwaitWriters } from "../security/feed/await-writers.ts";
import type { HourEventsStore } from "../security/feed/hour-events-store.ts";
import { hourName, timeOfName } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { CUT_MARK } from "../terms/mentions-user.ts";
import type { DataLocation, Item, ItemUpdate } from "../work/location.ts";
import { isInTables } from "./archive-hour.ts";
import { type ArchivedEvent, parseLine, toLine } from "./archive-line.ts";
import type { ArchiveStore, HourEntry } from "./archive-store.ts";
import { type ArchiveWriterDependencies, archiveFileOf } from "./archive-writer.ts";
import { createLineFile } from "./line-file.ts";
import { type Hour, writeHour } from "./write-hour.ts";

export type EraseArchive = ArchiveWriterDependencies & {
  archive: ArchiveStore;
  events: Pick<HourEventsStore, "read">;
  awaitWriters: AwaitWriters;
  /** Marks an hour whose emptied events are to be sealed. */
  markUnsealed(scope: string, hour: number): Promise<void>;
  clock: Clock;
};

/** Which events an erasure empties. `mayConcern`: false for a line that `update` would leave as it is. */
type Cleaning = {
  erasureId: string;
  mayConcern(line: string): boolean;
  update(item: Item): ItemUpdate | undefined;
};

/** The objects of a page are in memory together. */
const PAGE_HOURS = 16;
const PAGE_BYTES = 3_000_000;

const itemOf = ({ event, index: _, ...seal }: ArchivedEvent): Item => toErasableItem(event, seal);

const emptyLine = (line: string, { erasureId, mayConcern, update }: Cleaning): string => {
  if (!mayConcern(line)) return line;
  const archived = parseLine(line);
  const item = itemOf(archived);
  const change = emptied(item, update(item), erasureId);
  if (change === undefined) return line;
  const { isLate: _, ...seal } = sealOf(updatedItem(item, change));
  return toLine({ event: fromItem(updatedItem(item, change)), index: archived.index, ...seal });
};

const pageOf = (hours: readonly HourEntry[]): HourEntry[] => {
  let bytes = 0;
  return hours.slice(0, PAGE_HOURS).filter((entry, position) => {
    bytes += entry.bytes;
    return position === 0 || bytes <= PAGE_BYTES;
  });
};

const archiveLocation = (
  { archive, events, awaitWriters, markUnsealed, clock, ...writer }: EraseArchive,
  organizationId: string,
  cleaning: Cleaning,
): DataLocation => {
  const scope = organizationKey(organizationId);
  const { mayConcern, update, erasureId } = cleaning;

  const isDirty = (lines: readonly string[]): boolean => {
    // Each line is read: update() remembers addresses.
    const dirty = lines.filter((line) => mayConcern(line) && update(itemOf(parseLine(line))) !== undefined);
    return dirty.length > 0;
  };

  /** @returns whether the tables had the hour's events. */
  const rewrite = async (hour: Hour, tag: string): Promise<boolean> => {
    const now = clock();
    let isWritten = false;
    const file = await archiveFileOf(writer, hour, now, async (body) => {
      isWritten = true;
      await archive.replace(scope, hour.hour, body, tag);
    });
    if (typeof file === "object") await writeHour(events, hour, [file], now);
    return isWritten;
  };

  const clean = async (hour: number): Promise<void> => {
    const found = await archive.find(scope, hour);
    if (found === undefined || (await rewrite({ scope, hour }, found.tag))) return;
    const file = createLineFile();
    for (const line of found.lines) await file.add(emptyLine(line, cleaning));
    const body = await file.end();
    if (body !== undefined && (await archive.replace(scope, hour, body, found.tag))) await markUnsealed(scope, hour);
  };

  return {
    name: "archive",
    counter: "other",
    createdAt: timeOfName,
    async read(after) {
      if (after === undefined) await awaitWriters(scope);
      const listed = await archive.list(scope, after === undefined ? undefined : timeOfName(after));
      const page = pageOf(listed.hours);
      const found = await Promise.all(page.map(({ hour }) => archive.find(scope, hour)));
      const dirty: number[] = [];
      for (const [position, { hour }] of page.entries()) {
        const lines = found[position]?.lines ?? [];
        if (isDirty(lines)) dirty.push(hour);
        // An attempt that emptied the object may have died before it marked the hour.
        else if (!isInTables(hour, clock(), writer.span) && lines.some((line) => line.includes(erasureId)))
          await markUnsealed(scope, hour);
      }
      const last = page.at(-1);
      const isLast = listed.isLast && page.length === listed.hours.length;
      return {
        keys: dirty.map(hourName),
        next: isLast || last === undefined ? undefined : hourName(last.hour),
        async erase() {
          for (const hour of dirty) await clean(hour);
        },
      };
    },
  };
};

export const allArchive = (archive: EraseArchive, organizationId: string, erasureId: string): DataLocation =>
  archiveLocation(archive, organizationId, { erasureId, mayConcern: () => true, update: cleanEvent });

/** Swept in order of time, like the events. */
export const archiveOfUser = (
  archive: EraseArchive,
  organizationId: string,
  erasureId: string,
  user: ErasedUser,
): DataLocation => {
  const inJson = JSON.stringify(user.userId).slice(1, -1);
  const marks = [inJson, CUT_MARK, "AUTHENTICATION_FAILURE"];
  return archiveLocation(archive, organizationId, {
    erasureId,
    mayConcern: (line) => marks.some((mark) => line.includes(mark)),
    update: (item) => cleanNextOfUser(item, user),
  });
};
