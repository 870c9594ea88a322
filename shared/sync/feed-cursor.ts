/**
 * How far the provider's event feed was read: in the provider's own seconds and event ids, never by our clock, which may
 * differ. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import type { ProviderEvent } from "../provider/provider.ts";

/** Events may appear late in the feed: each run reads this time again, and drops the events that it has read before. */
const OVERLAP_SECONDS = 60;

/** More are not stored; an event that is applied again changes nothing. */
const MAX_KNOWN_IDS = 1_000;

/** The feed holds 30 days; with an older cursor, events may be missing. */
export const MAX_CURSOR_AGE_SECONDS = 29 * 24 * 3_600;

/** 48 bits of an event id's digest: among a thousand events, two are equal once in 10^8 runs. */
const DIGEST_CHARACTERS = 8;

/**
 * `createdSeconds`: of the newest event, in epoch seconds of the provider; undefined if the feed was empty. `known`: short
 * digests of the events of the 60 s up to it, in one text, because each write costs by its size. `readAt`: the date of the
 * feed's answer, in epoch seconds.
 */
export const FeedCursor = z.object({
  createdSeconds: z.optional(z.number()),
  known: z.string(),
  readAt: z.optional(z.number()),
});
export type FeedCursor = z.output<typeof FeedCursor>;

type DatedId = Pick<ProviderEvent, "id" | "createdSeconds">;

const digestOf = (id: string): string =>
  createHash("sha256").update(id).digest("base64url").slice(0, DIGEST_CHARACTERS);

const digestsOf = ({ known }: FeedCursor): Set<string> =>
  new Set(
    Array.from({ length: known.length / DIGEST_CHARACTERS }, (_, i) =>
      known.slice(i * DIGEST_CHARACTERS, (i + 1) * DIGEST_CHARACTERS),
    ),
  );

/** The second to read the feed from; undefined reads it from its beginning. */
export const sinceOf = ({ createdSeconds }: FeedCursor): number | undefined =>
  createdSeconds === undefined ? undefined : Math.max(0, createdSeconds - OVERLAP_SECONDS);

/**
 * The first cursor: the position of the feed's newest event, if there is one.
 * @param read events of the last minute that count as read.
 */
export const cursorAt = (newest: DatedId | undefined, readAt?: number, read: readonly DatedId[] = []): FeedCursor => ({
  ...definedFields({ createdSeconds: newest?.createdSeconds, readAt }),
  known: read.map(({ id }) => digestOf(id)).join(""),
});

/** The events that the cursor has not counted yet, and the others. */
export const withoutCounted = <Event extends DatedId>(
  cursor: FeedCursor,
  events: readonly Event[],
): { fresh: Event[]; known: Event[] } => {
  const counted = digestsOf(cursor);
  const { fresh = [], known = [] } = Object.groupBy(events, ({ id }) =>
    counted.has(digestOf(id)) ? "known" : "fresh",
  );
  return { fresh, known };
};

/**
 * The next run's cursor after one more page of the feed.
 * @param next the result of the pages before; undefined at the first page, which has the newest event.
 * @param cursor the present run's; it stays if the feed has nothing newer.
 * @param pageReadAt when the page was read, if it is known; the first page's counts.
 */
export const advance = (
  next: FeedCursor | undefined,
  cursor: FeedCursor,
  events: readonly DatedId[],
  pageReadAt?: number,
): FeedCursor => {
  const readAt = next === undefined ? pageReadAt : next.readAt;
  if (events.length === 0) return { ...(next ?? cursor), ...definedFields({ readAt }) };
  const createdSeconds = next?.createdSeconds ?? Math.max(...events.map((event) => event.createdSeconds));
  const digests = next === undefined ? new Set<string>() : digestsOf(next);
  for (const event of events) {
    if (digests.size >= MAX_KNOWN_IDS) break;
    if (event.createdSeconds >= createdSeconds - OVERLAP_SECONDS) digests.add(digestOf(event.id));
  }
  return { createdSeconds, known: [...digests].join(""), ...definedFields({ readAt }) };
};

/**
 * Whether an event has a date at which it cannot have happened: the last run did not find it in the feed, though it is
 * dated long before that read and not before the newest event of then. So the provider dates events earlier than its
 * answers, or showed this one late. An event in the cursor's own second may be wrongly counted; that costs a read only if
 * it differs from the record.
 * @param event one that the cursor has not counted.
 */
export const isBackdated = ({ createdSeconds = 0, readAt }: FeedCursor, event: DatedId): boolean =>
  readAt !== undefined && event.createdSeconds >= createdSeconds && event.createdSeconds < readAt - OVERLAP_SECONDS;

/** Whether events may have expired from the feed since the cursor, by the time of its newest event. */
export const isTooOld = ({ createdSeconds }: FeedCursor, newest: DatedId | undefined): boolean =>
  createdSeconds !== undefined &&
  newest !== undefined &&
  newest.createdSeconds - createdSeconds > MAX_CURSOR_AGE_SECONDS;
