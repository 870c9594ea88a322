/**
 * Deletes the objects of hours whose time in the archive is over, hour by hour. A stored hour says how far this has come,
 * so a run that has failed or was too short is made up for by the next ones. Deleting is free in S3, and so are keys
 * without an object: nothing is listed but the organizations.
 */
import type { Clock } from "../runtime/clock.ts";
import type { ObjectStore } from "../runtime/object-store.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { firstArchivedHour, keyInFolder } from "./archive-hour.ts";
import type { EndedHourStore } from "./ended-hour-store.ts";

export type EndHoursDependencies = {
  objects: Pick<ObjectStore, "listFolders" | "delete">;
  ended: EndedHourStore;
  months: number;
  now: Clock;
};

/** The time of a run that this work may take; writing hours is more urgent. */
const MAX_MS = 60_000;

/** What one request deletes. */
const MAX_KEYS = 1_000;

/** As many hours as one request deletes for all organizations, from `next` on; at least one. */
const someHours = (next: number, first: number, organizations: number): number[] => {
  const most = Math.max(1, Math.floor(MAX_KEYS / Math.max(1, organizations)));
  return Array.from({ length: Math.min(most, (first - next) / HOUR_MS) }, (_, position) => next + position * HOUR_MS);
};

/**
 * @param remainingMs of the function's time.
 * @returns the number of hours that were ended.
 * @throws DomainError `store_unavailable`; the hours before that are ended.
 */
export const endHours = async (
  { objects, ended, months, now }: EndHoursDependencies,
  remainingMs: () => number,
): Promise<number> => {
  const minimum = remainingMs() - MAX_MS;
  const first = firstArchivedHour(now(), months);
  // Before the first run, nothing had ended; or the archive was kept for longer, and the oldest hours end now.
  const start = (await ended.read()) ?? first - HOUR_MS;
  let next = start;
  while (next < first && remainingMs() > minimum) {
    let page = await objects.listFolders();
    const hours = someHours(next, first, page.folders.length);
    for (;;) {
      await objects.delete(page.folders.flatMap((folder) => hours.map((hour) => keyInFolder(folder, hour))));
      if (page.isLast) break;
      page = await objects.listFolders(page.folders.at(-1));
    }
    next += hours.length * HOUR_MS;
    await ended.store(next);
  }
  return Math.max(0, next - start) / HOUR_MS;
};
