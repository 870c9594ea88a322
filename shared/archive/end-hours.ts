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
  let next = (await ended.read()) ?? first - HOUR_MS;
  let hours = 0;
  while (next < first && remainingMs() > minimum) {
    let after: string | undefined;
    do {
      const { folders, isLast } = await objects.listFolders(after);
      await objects.delete(folders.map((folder) => keyInFolder(folder, next)));
      after = isLast ? undefined : folders.at(-1);
    } while (after !== undefined);
    next += HOUR_MS;
    hours++;
    await ended.store(next);
  }
  return hours;
};
