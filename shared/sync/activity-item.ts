/**
 * How far an organization has read the activity of its account at the provider: one item of table SyncRuns beside the
 * organization's runs, key `activity`, without expiry. The order of the provider's list is not relied on: each read goes
 * through all of it, and takes the entries that the reads before have not seen. Pure.
 *
 *     occurs ─────────── shown, up to an hour later
 *     read n             read n+1 (reads the last two hours before read n again, without what it has seen)
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { AccountActivity } from "../provider/provider.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { ACTIVITY_KEY } from "./activity-key.ts";

/** The first read of an account covers this time. */
const FIRST_READ_MS = 28 * DAY_MS;

/** An entry may be shown up to an hour after it occurred. Twice that, because clocks differ and schedules are late. */
const OVERLAP_MS = 2 * HOUR_MS;

/** The provider is asked again about a refused log after this time. */
const ASK_AGAIN_MS = DAY_MS;

/** 60 bits of an id's digest. More entries than the most within the overlap would be taken twice. */
const DIGEST_CHARACTERS = 10;
const MAX_KNOWN = 20_000;

export const activityKey = (organizationId: string) => ({ scope: organizationKey(organizationId), key: ACTIVITY_KEY });

/**
 * Times are epoch ms. `known`: digests of the entries within the overlap before `readUntil`, in one text. `reading`: the
 * read under way: `at` when it began, which dates its events; `after` the page; `seen` as `known`. `refused`: why the log
 * is not shown, since when, and to which connection. `isOff`: the settings have switched it off since the last read. `token`: identifies the write that made the item.
 */
export const ActivityItem = z.object({
  accountId: z.string(),
  readUntil: z.optional(z.number()),
  known: z._default(z.string(), ""),
  reading: z.optional(z.object({ at: z.number(), after: z.optional(z.string()), seen: z.string() })),
  refused: z.optional(z.object({ reason: z.string(), at: z.number(), connectionId: z.string() })),
  isOff: z.optional(z.boolean()),
  token: z.string(),
});
export type ActivityItem = z.output<typeof ActivityItem>;
export type Reading = NonNullable<ActivityItem["reading"]>;

const digestOf = (id: string): string =>
  createHash("sha256").update(id).digest("base64url").slice(0, DIGEST_CHARACTERS);

const digestsIn = (text: string): Set<string> =>
  new Set(
    Array.from({ length: text.length / DIGEST_CHARACTERS }, (_, i) =>
      text.slice(i * DIGEST_CHARACTERS, (i + 1) * DIGEST_CHARACTERS),
    ),
  );

/** Whether the log was refused to this connection so lately that it is not asked for. @param now epoch ms. */
export const isRefusedLately = (
  { refused }: Pick<ActivityItem, "refused">,
  connectionId: string,
  now: number,
): boolean => refused !== undefined && refused.connectionId === connectionId && now - refused.at < ASK_AGAIN_MS;

/** The entries of a page that no read before has taken. */
export const freshOf = (
  { readUntil, known }: Pick<ActivityItem, "readUntil" | "known">,
  { at }: Pick<Reading, "at">,
  entries: readonly AccountActivity[],
): AccountActivity[] => {
  const since = readUntil === undefined ? at - FIRST_READ_MS : readUntil - OVERLAP_MS;
  const taken = digestsIn(known);
  return entries.filter(({ id, occurredAt }) => occurredAt >= since && !taken.has(digestOf(id)));
};

/** The read after one more page. @param next the page after it; undefined after the last one. */
export const advanceReading = (
  { at, seen }: Reading,
  entries: readonly AccountActivity[],
  next: string | undefined,
): Reading => {
  const digests = digestsIn(seen);
  for (const { id, occurredAt } of entries) {
    if (occurredAt >= at - OVERLAP_MS && digests.size < MAX_KNOWN) digests.add(digestOf(id));
  }
  return { at, seen: [...digests].join(""), ...(next !== undefined && { after: next }) };
};
