/**
 * How far the provider's event feed was read. It counts by the provider's own seconds and event ids, never by our
 * clock, which may differ. Pure.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { ProviderEvent } from "../provider/provider.ts";

/** Events may turn up late in the feed: each run reads this much again, and drops what it knows. */
export const OVERLAP_SECONDS = 60;

/** More are not kept; an event that is applied again changes nothing. */
const MAX_KNOWN_IDS = 1_000;

/** The feed holds 30 days; a cursor that is older than this may have missed some. */
export const MAX_CURSOR_AGE_SECONDS = 29 * 24 * 3_600;

/** Of a digest of an event's id: 48 bits, so that two of a thousand events meet once in 10^8 runs. */
const DIGEST_CHARACTERS = 8;

/**
 * `createdSeconds`: the newest event's, in epoch seconds of the provider; none where the feed was empty. `known`: short
 * digests of the events of the 60 s up to it, one after the other in one text, because each write pays for it.
 * `readAt`: when the feed was so, by its answer's date in epoch seconds.
 */
export const FeedCursor = z.object({
  createdSeconds: z.optional(z.number()),
  known: z.string(),
  readAt: z.optional(z.number()),
});
export type FeedCursor = z.output<typeof FeedCursor>;

type Seen = Pick<ProviderEvent, "id" | "createdSeconds">;

const digestOf = (id: string): string =>
  createHash("sha256").update(id).digest("base64url").slice(0, DIGEST_CHARACTERS);

const digestsOf = ({ known }: FeedCursor): Set<string> =>
  new Set(
    Array.from({ length: known.length / DIGEST_CHARACTERS }, (_, i) =>
      known.slice(i * DIGEST_CHARACTERS, (i + 1) * DIGEST_CHARACTERS),
    ),
  );

/** Where the feed is to be read from to its end; from its beginning where it was empty. */
export const sinceOf = ({ createdSeconds }: FeedCursor): number | undefined =>
  createdSeconds === undefined ? undefined : Math.max(0, createdSeconds - OVERLAP_SECONDS);

/** The cursor before anything is read from the feed on; `newest` is the feed's newest event, if it has any. */
export const cursorAt = (newest: Seen | undefined, readAt?: number): FeedCursor => ({
  ...(newest !== undefined && { createdSeconds: newest.createdSeconds }),
  known: "",
  ...(readAt !== undefined && { readAt }),
});

/** Splits events into new ones and the number of those that the cursor knows. */
export const withoutKnown = <Event extends Seen>(
  cursor: FeedCursor,
  events: readonly Event[],
): { fresh: Event[]; knownCount: number } => {
  const known = digestsOf(cursor);
  const fresh = events.filter(({ id }) => !known.has(digestOf(id)));
  return { fresh, knownCount: events.length - fresh.length };
};

/**
 * The next run's cursor, as one more page of the feed makes it.
 * @param next what the pages before made of it; undefined at the first page, which has the newest event.
 * @param cursor the present run's: it stays where the feed has nothing newer.
 * @param pageReadAt when the page was read, as far as it is known; the first page's counts.
 */
export const advance = (
  next: FeedCursor | undefined,
  cursor: FeedCursor,
  events: readonly Seen[],
  pageReadAt?: number,
): FeedCursor => {
  const readAt = next === undefined ? pageReadAt : next.readAt;
  const read = readAt === undefined ? {} : { readAt };
  if (events.length === 0) return { ...(next ?? cursor), ...read };
  const createdSeconds = next?.createdSeconds ?? Math.max(...events.map((event) => event.createdSeconds));
  const digests = next === undefined ? new Set<string>() : digestsOf(next);
  for (const event of events) {
    if (digests.size >= MAX_KNOWN_IDS) break;
    if (event.createdSeconds >= createdSeconds - OVERLAP_SECONDS) digests.add(digestOf(event.id));
  }
  return { createdSeconds, known: [...digests].join(""), ...read };
};

/**
 * Whether an event is dated earlier than it can have happened: the feed did not have it, no older one than its newest,
 * and yet it is from long before the feed was read. So the provider dates its events behind its answers, or showed this
 * one late. One of the cursor's own second may have been there where the cursor knows no events: it is doubted all the
 * same, which costs a read only where it differs from what is stored.
 * @param event one that the cursor does not know.
 */
export const isBackdated = ({ createdSeconds = 0, readAt }: FeedCursor, event: Seen): boolean =>
  readAt !== undefined && event.createdSeconds >= createdSeconds && event.createdSeconds < readAt - OVERLAP_SECONDS;

/** Whether events may have come and gone since the cursor, by the time of the feed's newest event. */
export const isTooOld = ({ createdSeconds }: FeedCursor, newest: Seen | undefined): boolean =>
  createdSeconds !== undefined &&
  newest !== undefined &&
  newest.createdSeconds - createdSeconds > MAX_CURSOR_AGE_SECONDS;
