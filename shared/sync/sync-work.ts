/**
 * The position of a run: where the next worker continues. Stored with the run after each page (sync-lease-store.ts), so a
 * crash repeats at most one page. Pure.
 */
import * as z from "zod/mini";
import { isOptional, RecordType, recordTypes } from "../records/record.ts";
import { FeedCursor } from "./feed-cursor.ts";
import { Completeness, type SyncMode, syncErrorCategories } from "./sync-run.ts";

const count = z.number();
const seconds = z.number();

/** Why a run, or a type of it, was not read to its end. `code` is the provider's, or ours. */
export const SyncFailure = z.object({
  category: z.enum(syncErrorCategories),
  message: z.string(),
  code: z.optional(z.string()),
});
export type SyncFailure = z.output<typeof SyncFailure>;

/**
 * A list of a full run: its number of pages, the second before which it is complete, and the number of its objects that
 * are set aside; `nameless` of them have no usable id, so the pages' ids lack them.
 */
const ReadList = z.object({
  pages: count,
  bound: z.optional(seconds),
  setAside: z.optional(count),
  nameless: z.optional(count),
});

const ListPosition = z.object({
  phase: z.literal("list"),
  type: RecordType,
  /** The next page starts after it. */
  after: z.optional(z.string()),
  /** The upper bound of the pages after the first, so that the list ends though objects are created concurrently. */
  until: z.optional(seconds),
  /** When the last listed object was created. */
  lastSeconds: z.optional(seconds),
  /** Number of the page whose last object was deleted: its ids repeat, because the list continues by time. */
  repeats: z.optional(count),
});
export type ListPosition = z.output<typeof ListPosition>;

const LinksPosition = z.object({
  phase: z.literal("links"),
  after: z.optional(z.string()),
  /** The number of stored pages of links. */
  pages: z.optional(count),
  restarts: count,
});
export type LinksPosition = z.output<typeof LinksPosition>;

const FeedPosition = z.object({
  phase: z.literal("feed"),
  after: z.optional(z.string()),
  /** Whether the feed had an event that the cursor has counted: then it reaches back to the cursor. */
  hasMetKnown: z.boolean(),
  restarts: count,
  /** The second of the first page's answer: the feed showed the older events of the next pages by then. */
  shownBy: z.optional(seconds),
});
export type FeedPosition = z.output<typeof FeedPosition>;

const ComparePosition = z.object({
  phase: z.literal("compare"),
  type: RecordType,
  /** The last id of the ranges that are compared; their sums are in `completeness`. */
  after: z.optional(z.string()),
});
export type ComparePosition = z.output<typeof ComparePosition>;

const perType = <Value extends z.ZodMiniType>(value: Value) => z.partialRecord(RecordType, value);

export const SyncWork = z.object({
  at: z.discriminatedUnion("phase", [
    z.object({ phase: z.literal("begin") }),
    ListPosition,
    LinksPosition,
    FeedPosition,
    ComparePosition,
    z.object({ phase: z.literal("done") }),
  ]),
  /** The types that an incremental run lists before it reads the feed: they were never read to their end. */
  types: z.optional(z.array(RecordType)),
  lists: perType(ReadList),
  /** Types that are left out, because the credentials may not read them. */
  notRead: z.optional(z.array(RecordType)),
  /** Types that could not be read to their end. */
  failures: perType(SyncFailure),
  /** Where a full run reads the feed from: its cursor, or the feed's newest event before the first list. */
  feedStart: z.optional(FeedCursor),
  /** The feed no longer reaches back to the cursor. */
  isCursorLost: z.optional(z.boolean()),
  /** The next run's cursor, once the first page of the feed is read. */
  next: z.optional(FeedCursor),
  /** Both sides of the types that were compared; of the type under way, those of its compared ranges. */
  completeness: perType(Completeness),
  /** The number of objects read again because only one side has them. */
  rereads: count,
  /** The number of events that webhooks should have delivered and did not. */
  healed: z.optional(count),
  /** The number of objects that are set aside, and how many of them this run has named in security events. */
  setAside: z.optional(z.object({ count, named: count })),
  /** The comparison was given up, because one invocation is too short to read the lists and a range of the records. */
  isIncomparable: z.optional(z.boolean()),
});
export type SyncWork = z.output<typeof SyncWork>;

const nothingDone = { lists: {}, failures: {}, completeness: {}, rereads: 0 };

const atFeed = { phase: "feed", hasMetKnown: false, restarts: 0 } as const;

/** The work of a run that has not begun. */
export const newWork = (mode: SyncMode): SyncWork => ({
  at: mode === "full" ? { phase: "begin" } : atFeed,
  ...nothingDone,
});

/** The work of an incremental run that has not begun, and lists these types before it reads the feed. */
export const newWorkWith = (types: readonly [RecordType, ...RecordType[]]): SyncWork => ({
  ...newWork("incremental"),
  types: [...types],
  at: { phase: "list", type: types[0] },
});

/** The position after the list of a type. The links are read before the payments, so that each is written with its invoice. */
export const afterList = (type: RecordType, { types = recordTypes }: Pick<SyncWork, "types">): SyncWork["at"] => {
  const next = types[types.indexOf(type) + 1];
  if (next === "payments") return { phase: "links", restarts: 0 };
  return next === undefined ? atFeed : { phase: "list", type: next };
};

/** Whether the list of a type was read to its end. */
export const hasRead = ({ lists, failures, notRead = [] }: SyncWork, type: RecordType): boolean =>
  lists[type] !== undefined && failures[type] === undefined && !notRead.includes(type);

export const afterLinks: SyncWork["at"] = { phase: "list", type: "payments" };

/** Whether the run does without an optional type: it was not listed, or the credentials may not read it. */
export const isLeftOut = (work: SyncWork, type: RecordType): boolean => isOptional(type) && !hasRead(work, type);

/** The position after the comparison of a type. */
export const afterComparison = (type: RecordType, work: SyncWork): SyncWork["at"] => {
  const next = recordTypes.slice(recordTypes.indexOf(type) + 1).find((one) => !isLeftOut(work, one));
  return next === undefined ? { phase: "done" } : { phase: "compare", type: next };
};

/** Whether the run reads no more changes. */
export const hasReadFeed = ({ at }: SyncWork): boolean => at.phase === "compare" || at.phase === "done";

/** The next run's cursor; undefined if the feed was not read to its end. */
export const cursorOf = (work: SyncWork): FeedCursor | undefined => (hasReadFeed(work) ? work.next : undefined);
