/**
 * The spans of time in which an organization was connected, stored in its connection, so that a past window can be judged
 * after the connection has ended. Pure. Times are epoch ms.
 */
import { HOUR_MS } from "../terms/hours.ts";
import type { ConnectedItem, EndedSpan, StoredConnection } from "./connection-item.ts";

/** Without `until` the organization is still connected. */
export type ConnectedSpan = { since: number; until?: number | undefined };

/** Each has an hour at least, so they reach back this many hours at least. An hour is judged within an hour. */
const MAX_ENDED_SPANS = 10;

/** Windows have whole hours: a span without one contains no window. */
const hasWholeHour = ({ since, until }: EndedSpan): boolean => Math.ceil(since / HOUR_MS) * HOUR_MS + HOUR_MS <= until;

/** Since when an organization has been connected without a break: another key or account in place of the old one is none. */
export const unbrokenSince = ({ connectedSince, connectedAt }: ConnectedItem): number => connectedSince ?? connectedAt;

/** What to store of the ended spans when a connection ends; nothing if no span contains a window. */
export const endSpan = (before: ConnectedItem, until: number): { connectedBefore?: EndedSpan[] } => {
  const ended = [...(before.connectedBefore ?? []), { since: unbrokenSince(before), until }].filter(hasWholeHour);
  return ended.length === 0 ? {} : { connectedBefore: ended.slice(-MAX_ENDED_SPANS) };
};

/** Oldest first. */
export const connectedSpans = (connection: StoredConnection): ConnectedSpan[] => [
  ...(connection.connectedBefore ?? []),
  ...(connection.status === "connected" ? [{ since: unbrokenSince(connection) }] : []),
];

/** Whether one span contains a window from its start to its end. */
export const isConnectedThroughout = (
  spans: readonly ConnectedSpan[],
  { start, end }: { start: number; end: number },
): boolean => spans.some(({ since, until = Number.POSITIVE_INFINITY }) => since <= start && end <= until);
