import type { ObjectStore } from "../runtime/object-store.ts";
import { archiveKey, archivePrefix, dayPrefix, hourOfKey } from "./archive-hour.ts";
import { COMPRESSED, countLines, readLines } from "./line-file.ts";

/** The lines of an hour's object in order of the events' ids. `tag` changes with them. */
export type ArchivedHour = { lines: string[]; tag: string };

/** An hour that has an object. `bytes`: compressed. */
export type HourEntry = { hour: number; bytes: number };

export type ArchiveStore = ReturnType<typeof createArchiveStore>;

/** The objects of the archive; `hour` is an hour's start, epoch ms. All calls throw DomainError `store_unavailable`. */
export const createArchiveStore = (objects: Pick<ObjectStore, "readTagged" | "put" | "replace" | "list">) => ({
  /** The object of an hour; undefined without one. One read of S3. */
  async find(scope: string, hour: number): Promise<ArchivedHour | undefined> {
    const object = await objects.readTagged(archiveKey(scope, hour));
    return object && { lines: await readLines(object.body), tag: object.tag };
  },

  /** The number of events in the object of an hour; 0 without one. One read of S3. */
  async countEvents(scope: string, hour: number): Promise<number> {
    const object = await objects.readTagged(archiveKey(scope, hour));
    return object === undefined ? 0 : countLines(object.body);
  },

  /** The hours of a day that have objects, oldest first. One write of S3's prices. @param day any time of it, epoch ms. */
  async listDay(scope: string, day: number): Promise<number[]> {
    const keys: string[] = [];
    for (let isLast = false; !isLast; ) {
      const page = await objects.list(dayPrefix(scope, day), keys.at(-1));
      keys.push(...page.objects.map(({ key }) => key));
      isLast = page.isLast;
    }
    return keys.map(hourOfKey);
  },

  /** A page of an organization's hours that have objects, oldest first. @param after an hour of the page before. */
  async list(scope: string, after?: number): Promise<{ hours: HourEntry[]; isLast: boolean }> {
    const last = after === undefined ? undefined : archiveKey(scope, after);
    const { objects: found, isLast } = await objects.list(archivePrefix(scope), last);
    return { hours: found.map(({ key, bytes }) => ({ hour: hourOfKey(key), bytes })), isLast };
  },

  /** Writes the object of an hour, and replaces the former one. */
  put: (scope: string, hour: number, body: Uint8Array): Promise<void> =>
    objects.put(archiveKey(scope, hour), body, COMPRESSED),

  /** Replaces an object that was read. @returns false if it has changed since, or is gone. */
  replace: (scope: string, hour: number, body: Uint8Array, tag: string): Promise<boolean> =>
    objects.replace(archiveKey(scope, hour), body, COMPRESSED, tag),
});
