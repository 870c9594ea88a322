/**
 * The archive: the events of each closed hour of each organization, as one compressed object in a bucket. It is kept for
 * `archiveMonths`, when the tables have long lost the events. An hour's object is replaced after each late event
 * (write-due-hours.ts), emptied by erasures (erase.ts), read by exports (archived-events.ts), and deleted when the hour
 * ends (end-hours.ts). Pure. docs/exports.md, "The archive".
 */
import { DAY_MS, dayName, HOUR_MS, hourName, startOfHour, timeOfName } from "../terms/hours.ts";
import { organizationIdOf } from "../terms/keys.ts";

/** All objects of an organization begin with it. The id is in base64url: it may have any characters. */
export const archivePrefix = (scope: string): string =>
  `${Buffer.from(organizationIdOf(scope)).toString("base64url")}/`;

/** All objects of a day begin with it. @param day any time of it, epoch ms. */
export const dayPrefix = (scope: string, day: number): string => `${archivePrefix(scope)}${dayName(day)}/`;

const EXTENSION = ".ndjson.gz";

/** The hour in a key, after the organization. @param hour its start, epoch ms. */
const hourPart = (hour: number): string => hourName(hour).replace("T", "/") + EXTENSION;

export const archiveKey = (scope: string, hour: number): string => archivePrefix(scope) + hourPart(hour);

/** @param folder of an organization, with its slash. */
export const keyInFolder = (folder: string, hour: number): string => folder + hourPart(hour);

/** The hour of a key, epoch ms. */
export const hourOfKey = (key: string): number =>
  timeOfName(key.slice(key.indexOf("/") + 1, -EXTENSION.length).replace("/", "T"));

/** A month without that day ends first: the 31st of January and a month are the 1st of March. */
const addMonths = (hour: number, months: number): number => {
  const time = new Date(hour);
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth() + months];
  return Math.min(Date.UTC(year, month, time.getUTCDate(), time.getUTCHours()), Date.UTC(year, month + 1, 1));
};

/** When the object of an hour ends, whenever it was written. @param hour its start; both epoch ms. */
export const endOfArchive = (hour: number, months: number): number => addMonths(hour, months);

/** More than months differ in length. */
const MARGIN_MS = 4 * DAY_MS;

/** The oldest hour whose object has not ended, epoch ms. */
export const firstArchivedHour = (now: number, months: number): number => {
  let hour = addMonths(startOfHour(now), -months) - MARGIN_MS;
  while (endOfArchive(hour, months) <= now) hour += HOUR_MS;
  return hour;
};

/** The archive of a deployment. `retentionMs`: how long the tables keep an event at least. */
export type ArchiveSpan = { months: number; retentionMs: number };

/**
 * The oldest hour that readers read from the tables; they read older ones from the archive. The tables still have the hour
 * before it: events of an hour expire together, `retentionMs` after its end.
 */
export const firstHourInTables = (now: number, { retentionMs }: Pick<ArchiveSpan, "retentionMs">): number =>
  startOfHour(now - retentionMs) + HOUR_MS;

/** Whether the tables have lost the events of an hour. */
export const isExpiredHour = (hour: number, now: number, { retentionMs }: Pick<ArchiveSpan, "retentionMs">): boolean =>
  hour + HOUR_MS + retentionMs <= now;

/** Writing an hour takes less. */
const WRITING_MS = 15 * 60_000;

/** Whether all events of an hour are in the tables until an object that is begun now is written. */
export const isInTables = (hour: number, now: number, span: Pick<ArchiveSpan, "retentionMs">): boolean =>
  !isExpiredHour(hour, now + WRITING_MS, span);
