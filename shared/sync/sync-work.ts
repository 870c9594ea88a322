/**
 * Where the work of a run is: what a worker goes on from, whoever began it. Kept with the run after each page
 * (sync-lease-store.ts), so a crash repeats at most one. Pure.
 */
import * as z from "zod/mini";
import { RecordType, recordTypes } from "../records/record.ts";
import { FeedCursor } from "./feed-cursor.ts";
import { Completeness, type SyncMode, syncErrorCategories } from "./sync-run.ts";

const count = z.number();
const seconds = z.number();

/** Why a run, or a type of it, did not get to its end. `code` is the provider's word, or ours. */
export const SyncFailure = z.object({
  category: z.enum(syncErrorCategories),
  message: z.string(),
  code: z.optional(z.string()),
});
export type SyncFailure = z.output<typeof SyncFailure>;

/** A list of a full run: how many pages it gave, and a second before which it has every object. */
const ReadList = z.object({ pages: count, bound: z.optional(seconds) });

const ListPosition = z.object({
  phase: z.literal("list"),
  type: RecordType,
  /** The next page starts after it. */
  after: z.optional(z.string()),
  /** The upper bound of the pages after the first, so that the list is finite whatever is created meanwhile. */
  until: z.optional(seconds),
  /** When the last object listed was created. */
  lastSeconds: z.optional(seconds),
  /** Number of the page whose last object vanished: its ids come again, since the list goes on by time. */
  repeats: z.optional(count),
});
export type ListPosition = z.output<typeof ListPosition>;

const LinksPosition = z.object({
  phase: z.literal("links"),
  after: z.optional(z.string()),
  /** So many pages of links are kept so far. */
  pages: z.optional(count),
  restarts: count,
});
export type LinksPosition = z.output<typeof LinksPosition>;

const FeedPosition = z.object({
  phase: z.literal("feed"),
  after: z.optional(z.string()),
  /** Whether an event was met that the cursor knows: then the feed reaches back to it, and nothing was missed. */
  hasMetKnown: z.boolean(),
  restarts: count,
});
export type FeedPosition = z.output<typeof FeedPosition>;

const ComparePosition = z.object({ phase: z.literal("compare"), type: RecordType });
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
  lists: perType(ReadList),
  /** Types that could not be read to their end. */
  failures: perType(SyncFailure),
  /** Where a full run reads the feed from: its own cursor, or the feed's newest event before the first list. */
  feedStart: z.optional(FeedCursor),
  /** The feed does not reach back to the cursor any more. */
  isCursorLost: z.optional(z.boolean()),
  /** The cursor that the next run starts from, once the feed was begun. */
  next: z.optional(FeedCursor),
  /** Both sides of the types that were compared. */
  completeness: perType(Completeness),
  /** Objects that were read again because only one side has them. */
  rereads: count,
  /** Events that webhooks should have brought and did not. */
  healed: z.optional(count),
  /** The comparison was given up: there is more than one invocation can hold beside each other. */
  isIncomparable: z.optional(z.boolean()),
});
export type SyncWork = z.output<typeof SyncWork>;

const nothingDone = { lists: {}, failures: {}, completeness: {}, rereads: 0 };

/** The work of a run that has not begun. */
export const newWork = (mode: SyncMode): SyncWork => ({
  at: mode === "full" ? { phase: "begin" } : { phase: "feed", hasMetKnown: false, restarts: 0 },
  ...nothingDone,
});

/** What comes after the list of a type. The links of payments come before these, so that each is written with its invoice. */
export const afterList = (type: RecordType): SyncWork["at"] => {
  const next = recordTypes[recordTypes.indexOf(type) + 1];
  if (next === "payments") return { phase: "links", restarts: 0 };
  return next === undefined ? { phase: "feed", hasMetKnown: false, restarts: 0 } : { phase: "list", type: next };
};

export const afterLinks: SyncWork["at"] = { phase: "list", type: "payments" };

/** What comes after the comparison of a type. */
export const afterComparison = (type: RecordType): SyncWork["at"] => {
  const next = recordTypes[recordTypes.indexOf(type) + 1];
  return next === undefined ? { phase: "done" } : { phase: "compare", type: next };
};

/** The cursor for the next run, of one that read the feed to its end. */
export const cursorOf = ({ at, next }: SyncWork): FeedCursor | undefined =>
  at.phase === "compare" || at.phase === "done" ? next : undefined;
