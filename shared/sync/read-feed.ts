/** Reads a page of the provider's event feed, from the newest event back to the cursor. */

import { definedFields } from "../json/defined-fields.ts";
import type { Provider, ProviderEvent } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import { isOfConnectSecond, isSinceConnect } from "../provider/since-connect.ts";
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
  withoutCounted,
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

/** Events may be missing: the run must read everything. */
const asFullRun = (run: ActiveRun): ActiveRun => ({
  ...run,
  mode: "full",
  work: { ...newWork("full"), isCursorLost: true },
});

/** Whether the last run is long ago, by our clock alone. */
const isLongAgo = ({ lastSuccessAt, now }: RunContext): boolean =>
  lastSuccessAt !== undefined && now() - lastSuccessAt > MAX_CURSOR_AGE_SECONDS * 1_000;

/**
 * The first step of a full run: decides where it reads the feed from at its end. From the cursor if it is still valid,
 * because lists do not show what was deleted since; else from the feed's newest event before the first list. The events
 * that are there of the second of the connect count as read: their money is from before the connect.
 */
export const beginFullRun: Step = async (context, run) => {
  const isCursorValid = context.cursor !== undefined && !run.work.isCursorLost && !isLongAgo(context);
  const at = { phase: "list", type: "customers" } as const;
  if (isCursorValid) return { ...run, work: { ...run.work, feedStart: context.cursor, at } };
  const { items, observedAt } = await context.provider.listEvents({});
  const read = items.filter((event) => isOfConnectSecond(context.connectedAt, event));
  return { ...run, work: { ...run.work, feedStart: cursorAt(items[0], observedAt?.from, read), at } };
};

/** The events that concern records or money, without those that webhooks have delivered already. */
const undelivered = async (context: RunContext, events: readonly ProviderEvent[]): Promise<ProviderEvent[]> => {
  const relevant = events.filter(
    ({ observations, setAside = [], money }) => observations.length + setAside.length > 0 || money !== undefined,
  );
  if (relevant.length === 0 || !context.expectsWebhooks) return relevant;
  const delivered = await context.delivered(relevant.map(({ id }) => id));
  return relevant.filter(({ id }) => !delivered.has(id));
};

/** The observations of an event. A backdated event may have happened at any time until it was read. */
const observationsOf = (event: ProviderEvent, cursor: FeedCursor, page: FeedPage): readonly Observation[] => {
  const { observedAt } = page;
  if (observedAt === undefined || !isBackdated(cursor, event)) return event.observations;
  return event.observations.map((one) => ({ ...one, observedAt: { from: one.observedAt.from, to: observedAt.to } }));
};

/** How many events webhooks should have delivered; events from before the connection do not count. */
const missedIn = (context: RunContext, events: readonly ProviderEvent[]): number =>
  context.expectsWebhooks ? events.filter((event) => isSinceConnect(context.connectedAt, event)).length : 0;

/** Ends the connection if a deauthorization belongs to it; one from before the connection belongs to an earlier one. */
const requireConnection = async (context: RunContext, events: readonly ProviderEvent[]): Promise<void> => {
  if (!events.some((event) => event.isDeauthorization && isSinceConnect(context.connectedAt, event))) return;
  await context.disconnect();
  throw new ConnectionGoneError("The account revoked the permission.");
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
    // The event that the page starts after has left the feed, with all older ones. Read the rest again, once.
    if (restarts < MAX_RESTARTS) return restarted(run, at);
    if (isFull) throw error;
    return asFullRun(run);
  }
  if (!isFull && isTooOld(cursor, page.items[0])) return asFullRun(run);
  const { fresh: unknown, known } = withoutCounted(cursor, page.items);
  // The lists of a full run include everything that is older.
  const fresh = isFull
    ? unknown.filter(({ createdSeconds }) => createdSeconds >= (cursor.createdSeconds ?? 0))
    : unknown;
  const missed = await undelivered(context, fresh);
  await context.countMoney(missed);
  const observations = missed.flatMap((event) => observationsOf(event, cursor, page));
  const shownBy = at.shownBy ?? page.observedAt?.to;
  const applied = await context.apply(observations, "feed", shownBy);
  const unusable = [...(page.setAside ?? []), ...missed.flatMap(({ setAside = [] }) => setAside)];
  const counted = await context.countSetAside(run, [...unusable, ...applied.setAside]);
  await requireConnection(context, fresh);
  const hasMetKnown = at.hasMetKnown || known.length > 0;
  const isEnd = page.next === undefined;
  // The feed does not reach back to the last run's events.
  if (isEnd && !isFull && cursor.known !== "" && !hasMetKnown) return asFullRun(run);
  // Do not count the events that the lists cover: the next run applies them, which changes nothing.
  const read = isFull ? [...fresh, ...known] : page.items;
  const next = advance(after === undefined ? undefined : run.work.next, cursor, read, page.observedAt?.from);
  const healed = (run.work.healed ?? 0) + missedIn(context, missed);
  const position: FeedPosition = {
    phase: "feed",
    hasMetKnown,
    restarts,
    ...definedFields({ after: page.next, shownBy }),
  };
  return {
    ...counted,
    progress: plusProgress(run.progress, countByType(observations), applied.written),
    work: {
      ...counted.work,
      ...(context.expectsWebhooks && { healed }),
      next,
      at: isEnd ? afterFeed(run) : position,
    },
  };
};
