/**
 * The alerts that concern an erased user: deleted if they are about the user, otherwise emptied of what mentions the user.
 * docs/erasure.md, "Alerts".
 */
import { inParallel } from "../runtime/in-parallel.ts";
import type { UserMatcher } from "../terms/mentions-user.ts";
import { type DataLocation, type Decision, type Item, type Partition, partitionLocation } from "./location.ts";

/** Replaces a title that mentions the user; every alert must have a title. */
export const ERASED_TEXT = "[erased]";

const QUERIES_AT_ONCE = 8;

/** Whether any of some events is the user's, or was before this erasure emptied it. */
export type HoldsEventsOf = (
  eventIds: readonly string[],
  user: { userId: string; erasureId: string },
) => Promise<boolean>;

/** Matches an IPv4 address, or the minimum of an IPv6 address: two colons with at most four digits before each. */
const ADDRESS = /(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-f]{0,4}:){2}/i;

/** Whether an alert names an address. Only the alert's events show whether it is the user's address. */
export const namesAddress = ({ subject, title, message, evidence, metadata }: Item): boolean =>
  [subject, title, message, evidence, metadata].some((text) => typeof text === "string" && ADDRESS.test(text));

/** A subject is `user:<id>`, `address:<address>` or the rule's own text, after an event type if any. Ids have no spaces. */
const isAbout = ({ subject }: Item, userId: string, { mentions }: UserMatcher): boolean =>
  typeof subject === "string" &&
  subject.split(" ").some((word) => word === `user:${userId}` || (!/^(?:user|address):/.test(word) && mentions(word)));

const parseJson = (text: unknown): unknown => (typeof text === "string" ? JSON.parse(text) : undefined);

/**
 * How a user's erasure changes an alert; undefined keeps it as it is.
 * @param user.holdsTheirEvents whether the alert names an address and was raised by an event of the user.
 */
export const cleanAlert = (
  item: Item,
  { userId, matcher, holdsTheirEvents }: { userId: string; matcher: UserMatcher; holdsTheirEvents: boolean },
): Decision => {
  if (holdsTheirEvents || isAbout(item, userId, matcher)) return "delete";
  const { mentions } = matcher;
  const remove = [
    ...["acknowledgedBy", "resolvedBy"].filter((name) => item[name] === userId),
    ...["message", "eventIds", "occurrences"].filter((name) => mentions(item[name])),
    ...["metadata", "evidence"].filter((name) => mentions(parseJson(item[name]))),
  ];
  const isTitled = mentions(item.title);
  return remove.length === 0 && !isTitled ? undefined : { remove, set: isTitled ? { title: ERASED_TEXT } : {} };
};

const textsOf = (eventIds: unknown): string[] =>
  (eventIds instanceof Set || Array.isArray(eventIds) ? [...eventIds] : []).filter((id) => typeof id === "string");

/** Swept before the events, which still name their users then. */
export const alertsOfUser = (
  alerts: Partition,
  holdsEventsOf: HoldsEventsOf,
  { erasureId, ...user }: { userId: string; matcher: UserMatcher; erasureId: string },
): DataLocation =>
  partitionLocation({ name: "alerts", counter: "alerts" }, alerts, async (items) => {
    const theirs = new Set<unknown>();
    await inParallel(items.filter(namesAddress), QUERIES_AT_ONCE, async (item) => {
      if (await holdsEventsOf(textsOf(item.eventIds), { userId: user.userId, erasureId })) theirs.add(item);
    });
    return items.map((item) => cleanAlert(item, { ...user, holdsTheirEvents: theirs.has(item) }));
  });
