/**
 * Optional types of records, which the credentials may lack the permission for, and which connections of earlier versions
 * have never read. A run lists those that are due, and leaves the others out. Pure. docs/sync.md, "Types that a key may not
 * read".
 */
import { isOptional, type RecordType, recordTypes } from "../records/record.ts";
import { HOUR_MS } from "../terms/hours.ts";
import type { ActiveRun, SyncState } from "./sync-item.ts";
import { hasRead, newWorkWith, type SyncWork } from "./sync-work.ts";

/** A refused type is tried again once a day. Schedules are late by less than the hour that is missing. */
const RETRY_AFTER_MS = 23 * HOUR_MS;

type Types = Pick<SyncState, "readTypes" | "refusedTypes">;

const isDueAt =
  (now: number, refusedTypes: NonNullable<Types["refusedTypes"]>) =>
  (type: RecordType): boolean =>
    (refusedTypes[type] ?? 0) + RETRY_AFTER_MS <= now;

/** Whether a run must not read single objects of a type, because the type was refused so lately. A full run tries all. */
export const isLeftOutBy =
  ({ mode, startedAt }: Pick<ActiveRun, "mode" | "startedAt">, { refusedTypes = {} }: Types) =>
  (type: RecordType): boolean =>
    mode !== "full" && !isDueAt(startedAt, refusedTypes)(type);

/**
 * The work of an incremental run that has not begun: lists the types that were never read, and names those that it leaves
 * out. Undefined if it must read the feed only.
 */
export const workOfTypes = (
  { startedAt, work }: ActiveRun,
  { readTypes = [], refusedTypes = {} }: Types,
): SyncWork | undefined => {
  const unread = recordTypes.filter((type) => isOptional(type) && !readTypes.includes(type));
  const isDue = isDueAt(startedAt, refusedTypes);
  const [first, ...others] = unread.filter(isDue);
  const notRead = unread.filter((type) => !isDue(type));
  if (first === undefined && notRead.length === 0) return undefined;
  const listed = first === undefined ? work : newWorkWith([first, ...others]);
  return notRead.length === 0 ? listed : { ...listed, notRead };
};

/**
 * What is known after a single object of a type was refused: its list is not read to the end any more, because events may
 * change nothing until the type may be read again.
 */
export const typesAfterRefusal = (
  type: RecordType,
  at: number,
  { readTypes = [], refusedTypes = {} }: Types,
): Required<Types> => ({
  readTypes: readTypes.filter((one) => one !== type),
  refusedTypes: { ...refusedTypes, [type]: at },
});

/** What a run has found out about the optional types; nothing if it listed none. */
export const typesAfter = ({ mode, startedAt, work }: ActiveRun, before: Types): Types => {
  const { readTypes = [], refusedTypes = {} } = before;
  const listed = recordTypes.filter((type) => isOptional(type) && hasRead(work, type));
  // A type that the run left out without a try keeps the time of its last try.
  const wanted = mode === "full" ? recordTypes : (work.types ?? []);
  const tried = wanted.filter((type) => work.notRead?.includes(type));
  if (listed.length === 0 && tried.length === 0) return {};
  const isRead = (type: RecordType) => listed.includes(type) || (readTypes.includes(type) && !tried.includes(type));
  const refused = { ...refusedTypes, ...Object.fromEntries(tried.map((type) => [type, startedAt])) };
  return {
    readTypes: recordTypes.filter(isRead),
    refusedTypes: Object.fromEntries(Object.entries(refused).filter(([type]) => !isRead(type as RecordType))),
  };
};
