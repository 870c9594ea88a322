/** A page of the provider's event feed, which is read from the newest event back to the cursor. */

import { isSinceConnect } from "../connection/connection-item.ts";
import type { Provider, ProviderEvent } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import type { Observation } from "../records/observation.ts";
import type { RecordType } from "../records/record.ts";
import {
  advance,
  cursorAt,
  type FeedCursor,
  isBackdated,
  isTooOld,
  MAX_CURSOR_AGE_SECONDS,
  sinceOf,
  withoutKnown,
} from "./feed-cursor.ts";
import { plusProgress, type RunContext, type Step } from "./run-context.ts";
import { ConnectionGoneError } from "./sync-failure.ts";
import type { ActiveRun } from "./sync-item.ts";
import { type FeedPosition, newWork, type SyncWork } from "./sync-work.ts";

const MAX_RESTARTS = 1;

type FeedPage = Awaited<ReturnType<Provider["listEvents"]>>;

const countByType = (observations: readonly Observation[]): Partial<Record<RecordType, number>> => {
  const counts: Partial<Record<RecordType, number>> = {};
  for (const { type } of observations) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};

/** Events may have come and gone unseen: everything is to be read. */
const asFullRun = (run: ActiveRun): ActiveRun => ({
  ...run,
  mode: "full",
  work: { ...newWork("full"), isCursorLost: true },
});

/** How long ago the last run was, on one and the same clock. */
const isLongAgo = ({ lastSuccessAt, now }: RunContext): boolean =>
  lastSuccessAt !== undefined && now() - lastSuccessAt > MAX_CURSOR_AGE_SECONDS * 1_000;

/**
 * The first step of a full run: where the feed is read from in its end. From the cursor, where there is one that holds,
 * because lists say nothing of what was deleted since; else from what is its newest event before the first list.
 */
export const beginFullRun: Step = async (context, run) => {
  const holds = context.cursor !== undefined && !run.work.isCursorLost && !isLongAgo(context);
  const at = { phase: "list", type: "customers" } as const;
  if (holds) return { ...run, work: { ...run.work, feedStart: context.cursor, at } };
  const { items, observedAt } = await context.provider.listEvents({ limit: 1 });
  return { ...run, work: { ...run.work, feedStart: cursorAt(items[0], observedAt?.from), at } };
};

/** Those events that say something of records, but for what webhooks have brought already. */
const undelivered = async (context: RunContext, events: readonly ProviderEvent[]): Promise<ProviderEvent[]> => {
  const telling = events.filter(({ observations }) => observations.length > 0);
  if (telling.length === 0 || !context.expectsWebhooks) return telling;
  const delivered = await context.delivered(telling.map(({ id }) => id));
  return telling.filter(({ id }) => !delivered.has(id));
};

/** What an event says. One that is backdated may have happened at any time until it was seen, so that nothing is newer. */
const observationsOf = (event: ProviderEvent, cursor: FeedCursor, page: FeedPage): readonly Observation[] => {
  const { observedAt: seen } = page;
  if (seen === undefined || !isBackdated(cursor, event)) return event.observations;
  return event.observations.map((one) => ({ ...one, observedAt: { from: one.observedAt.from, to: seen.to } }));
};

/** How many events webhooks should have brought: those from before the connection was made are none of them. */
const missedIn = (context: RunContext, events: readonly ProviderEvent[]): number =>
  context.expectsWebhooks ? events.filter((event) => isSinceConnect(context.connectedAt, event)).length : 0;

/** An event from before the connection was made is of an earlier one. */
const requireConnection = async (context: RunContext, events: readonly ProviderEvent[]): Promise<void> => {
  if (!events.some((event) => event.isDeauthorization && isSinceConnect(context.connectedAt, event))) return;
  await context.disconnect();
  throw new ConnectionGoneError("The account took its permission away.");
};

const afterFeed = ({ mode, work }: ActiveRun): SyncWork["at"] =>
  mode === "full" && Object.keys(work.failures).length === 0
    ? { phase: "compare", type: "customers" }
    : { phase: "done" };

const restarted = (run: ActiveRun, { hasMetKnown, restarts }: FeedPosition): ActiveRun => ({
  ...run,
  work: { ...run.work, at: { phase: "feed", hasMetKnown, restarts: restarts + 1 } },
});

export const readFeed: Step<FeedPosition> = async (context, run, at) => {
  const isFull = run.mode === "full";
  const cursor = isFull ? run.work.feedStart : context.cursor;
  if (cursor === undefined || (!isFull && isLongAgo(context))) return asFullRun(run);
  const { after, restarts } = at;
  let page: FeedPage;
  try {
    page = await context.provider.listEvents({ since: sinceOf(cursor), after });
  } catch (error) {
    if (!(error instanceof ProviderError && error.reason === "missing") || after === undefined) throw error;
    // What the page should start after has left the feed, and so has all before it: what is left is read again, once.
    if (restarts < MAX_RESTARTS) return restarted(run, at);
    if (isFull) throw error;
    return asFullRun(run);
  }
  if (!isFull && isTooOld(cursor, page.items[0])) return asFullRun(run);
  const { fresh: unknown, knownCount } = withoutKnown(cursor, page.items);
  // What is older than a full run is in its lists.
  const fresh = isFull
    ? unknown.filter(({ createdSeconds }) => createdSeconds >= (cursor.createdSeconds ?? 0))
    : unknown;
  const missed = await undelivered(context, fresh);
  const observations = missed.flatMap((event) => observationsOf(event, cursor, page));
  const written = await context.apply(observations, "feed");
  await requireConnection(context, fresh);
  const hasMetKnown = at.hasMetKnown || knownCount > 0;
  const isEnd = page.next === undefined;
  // The feed does not reach back to what was seen of it last time.
  if (isEnd && !isFull && cursor.known !== "" && !hasMetKnown) return asFullRun(run);
  // What was left to the lists is not known to the next run: applied once more it changes nothing.
  const read = isFull ? fresh : page.items;
  const next = advance(after === undefined ? undefined : run.work.next, cursor, read, page.observedAt?.from);
  const healed = (run.work.healed ?? 0) + missedIn(context, missed);
  const position: FeedPosition = { phase: "feed", hasMetKnown, restarts, ...(!isEnd && { after: page.next }) };
  return {
    ...run,
    progress: plusProgress(run.progress, countByType(observations), written),
    work: {
      ...run.work,
      ...(context.expectsWebhooks && { healed }),
      next,
      at: isEnd ? afterFeed(run) : position,
    },
  };
};
