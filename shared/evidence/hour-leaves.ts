/**
 * The leaves of an hour of an organization, and the versions in which they were sealed. The first version has all events
 * of the hour in order of their ids. Events that come later are marked as late when they are stored; each further version
 * appends those that no version has, in order of their ids, so an index never changes. Pure. docs/evidence.md, "Hours".
 */
import { type Hash, rootOf } from "./merkle-tree.ts";
import { type EmptiedLeaf, encodeHash, erasedRootOf, eventLeaf } from "./sealed-log.ts";

/**
 * An event of the hour with what its leaf needs. `event`: as the API returns it. `hash`: the leaf from before the erasure
 * `erasure` emptied the event.
 */
export type SealableEvent = {
  event: { id: string };
  salt: Uint8Array;
  isLate: boolean;
  hash?: Hash | undefined;
  erasure?: string | undefined;
};

/**
 * An event of the hour without its content, which a busy hour would not hold in memory. `hash`: of its leaf; without a
 * salt, the event has none yet. `emptied`: by which erasure, and the leaf of the emptied event under its new salt.
 */
export type HourLeaf = {
  id: string;
  isLate: boolean;
  isSalted: boolean;
  hash: Hash;
  emptied?: { erasure: string; event: Hash } | undefined;
};

/** An emptied event keeps the hash of its leaf. */
export const leafOf = ({ event, salt, isLate, hash, erasure = "" }: SealableEvent): HourLeaf => {
  const own = eventLeaf(event, salt);
  return {
    id: event.id,
    isLate,
    isSalted: salt.length > 0,
    hash: hash ?? own,
    emptied: hash && { erasure, event: own },
  };
};

/**
 * What is sealed of an hour. `late`: for each version, the ids of the late events that it has first. Hashes are base64, as
 * in the record of the newest version.
 */
export type SealedHour = {
  version: number;
  count: number;
  root: string;
  erased: number;
  erasedRoot: string;
  late: readonly (readonly string[])[];
};

/** The late events that a version takes at most; the others wait for the next version. */
export const MAX_LATE_PER_VERSION = 5_000;

/** What places an event among the leaves. */
type Placed = Pick<HourLeaf, "id" | "isLate">;

const byId = (one: Placed, other: Placed): number => (one.id < other.id ? -1 : 1);

/**
 * `leaves`: by their index. `pending`: late events that no version has, in order of their ids. `missing`: ids of sealed
 * late events that are not stored.
 */
export type HourLeaves<Leaf extends Placed> = { leaves: Leaf[]; pending: Leaf[]; missing: string[] };

/**
 * The leaves of the sealed versions. If they are not as many as were sealed, or have another root, events were removed,
 * changed, or added without the mark.
 * @param events of the hour as stored, in any order. @param sealed undefined if no version is sealed.
 */
export const leavesOfHour = <Leaf extends Placed>(
  events: readonly Leaf[],
  sealed: Pick<SealedHour, "late"> | undefined,
): HourLeaves<Leaf> => {
  const inOrder = events.toSorted(byId);
  if (sealed === undefined) return { leaves: [], pending: inOrder, missing: [] };
  const late = new Map(inOrder.filter(({ isLate }) => isLate).map((event) => [event.id, event]));
  const missing: string[] = [];
  const versions = sealed.late.map((ids) =>
    ids.flatMap((id) => {
      const event = late.get(id);
      late.delete(id);
      if (event === undefined) missing.push(id);
      return event ?? [];
    }),
  );
  const [first = [], ...later] = versions;
  const inTime = inOrder.filter(({ isLate }) => !isLate);
  return { leaves: [[...inTime, ...first].sort(byId), ...later].flat(), pending: [...late.values()], missing };
};

/**
 * All leaves after the next version, and the ids of the late events that it adds. `hasMore`: further late events must wait
 * for the version after it.
 */
export type NextVersion<Leaf extends Placed> = { leaves: Leaf[]; late: string[]; hasMore: boolean };

/** @param events and `sealed` as in leavesOfHour. */
export const nextVersionOf = <Leaf extends Placed>(
  events: readonly Leaf[],
  sealed: Pick<SealedHour, "late"> | undefined,
): NextVersion<Leaf> => {
  const { leaves, pending } = leavesOfHour(events, sealed);
  const candidates = pending.filter(({ isLate }) => isLate);
  const added = candidates.slice(0, MAX_LATE_PER_VERSION);
  const late = added.map(({ id }) => id);
  const hasMore = candidates.length > added.length;
  if (sealed !== undefined) return { leaves: [...leaves, ...added], late, hasMore };
  return { leaves: leavesOfHour(events, { late: [late] }).leaves, late, hasMore };
};

/** The emptied events of an hour, as its record has them. @param leaves by their index. */
export const erasedOf = (leaves: readonly HourLeaf[]): Pick<SealedHour, "erased" | "erasedRoot"> => {
  const entries = leaves.flatMap(({ emptied }, index): EmptiedLeaf[] => (emptied ? [{ index, ...emptied }] : []));
  return { erased: entries.length, erasedRoot: encodeHash(erasedRootOf(entries)) };
};

/** The counts and roots of an hour's record. @param leaves by their index. */
export const summaryOf = (leaves: readonly HourLeaf[]): Omit<SealedHour, "version" | "late"> => ({
  count: leaves.length,
  root: encodeHash(rootOf(leaves.map(({ hash }) => hash))),
  ...erasedOf(leaves),
});
