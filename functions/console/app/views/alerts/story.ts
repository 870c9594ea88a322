/** The story of an alert: what happened around it, before and after, in one order and grouped. Pure. */
import type { Alert, AlertHistoryEntry, SecurityEvent } from "../../api/types.ts";
import { subjectOf } from "./words.ts";

export type Kind = "refusal" | "read" | "change" | "other" | "reaction";

/** Events of one kind and type, of one user from one address, without another one between them; or a reaction. */
export type StoryEntry = {
  kind: Kind;
  /** Epoch milliseconds: of the first and of the last one. */
  at: number;
  until: number;
  /** How many there were. A count of a flood stands for many. */
  count: number;
  /** The newest one; undefined for a reaction. */
  event?: SecurityEvent;
  reaction?: AlertHistoryEntry;
};

export type Phase = { name: "before" | "during" | "after"; entries: StoryEntry[] };

/** Around the alert, in both directions. */
const AROUND_MS = 60 * 60_000;
/** Of an alert that goes on and on, the newest part. */
const LONGEST_MS = 24 * 60 * 60_000;

/** The time that the story covers, epoch milliseconds. */
export const spanOf = ({
  firstSeen,
  lastSeen,
}: Pick<Alert, "firstSeen" | "lastSeen">): { since: number; until: number } => ({
  since: Math.max(firstSeen, lastSeen - LONGEST_MS) - AROUND_MS,
  until: lastSeen + AROUND_MS,
});

type Filter = { userId: string } | { ipAddress: string };

/** Whose events are read first: those of the alert's subject; without one, all of them. */
export const firstFilterOf = (alert: Pick<Alert, "rule" | "subject">): Filter | undefined => subjectOf(alert)?.filters;

/** Users and addresses to follow from what was read first. Each costs one request. */
const MOST_FOLLOWED = 3;

/** Who else belongs to the story: the users of the alert's address, and the addresses of its users. */
export const followedFrom = (events: readonly SecurityEvent[], first: Filter | undefined): Filter[] => {
  if (first === undefined) return [];
  const distinct = (values: (string | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].slice(0, MOST_FOLLOWED);
  return "ipAddress" in first
    ? distinct(events.map(({ userId }) => userId)).map((userId) => ({ userId }))
    : distinct(events.map(({ ipAddress }) => ipAddress)).map((ipAddress) => ({ ipAddress }));
};

const kindOf = ({ success, category, source }: SecurityEvent): Kind => {
  if (!success && (category === "authentication" || category === "authorization")) return "refusal";
  if (category === "data_access") return "read";
  return source === "user" && success ? "change" : "other";
};

const countOf = ({ metadata }: SecurityEvent): number => {
  const failures = (metadata as { failures?: unknown } | undefined)?.failures;
  return typeof failures === "number" ? failures : 1;
};

const entryOf = (event: SecurityEvent): StoryEntry => ({
  kind: kindOf(event),
  at: event.timestamp,
  until: event.timestamp,
  count: countOf(event),
  event,
});

const belongTogether = ({ event: one, kind }: StoryEntry, other: StoryEntry): boolean =>
  one !== undefined &&
  other.event !== undefined &&
  kind === other.kind &&
  one.eventType === other.event.eventType &&
  one.userId === other.event.userId &&
  one.ipAddress === other.event.ipAddress;

/** Joins neighbours. @param entries in the order of time */
const grouped = (entries: readonly StoryEntry[]): StoryEntry[] => {
  const groups: StoryEntry[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last === undefined || !belongTogether(last, entry)) groups.push(entry);
    else groups[groups.length - 1] = { ...entry, at: last.at, count: last.count + entry.count };
  }
  return groups;
};

type Told = Pick<Alert, "firstSeen" | "lastSeen"> & { history: readonly AlertHistoryEntry[] };

/** @param events of the story, in any order; an event may be there twice */
export const storyOf = ({ firstSeen, lastSeen, history }: Told, events: readonly SecurityEvent[]): Phase[] => {
  const distinct = [...new Map(events.map((event) => [event.id, event])).values()];
  const reactions = history
    .filter(({ change }) => change !== "repeated")
    .map((reaction) => ({ kind: "reaction" as const, at: reaction.at, until: reaction.at, count: 1, reaction }));
  const all = [...distinct.map(entryOf), ...reactions].sort((one, other) => one.at - other.at);
  const nameOf = ({ at }: StoryEntry) => (at < firstSeen ? "before" : at <= lastSeen ? "during" : "after");
  return (["before", "during", "after"] as const)
    .map((name) => ({ name, entries: grouped(all.filter((entry) => nameOf(entry) === name)) }))
    .filter(({ entries }) => entries.length > 0);
};
