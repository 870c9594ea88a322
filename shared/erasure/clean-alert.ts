/**
 * What becomes of an alert when a user is erased: it goes where it is about the user, and else what names them in it.
 * Pure. docs/erasure.md, "Alerts".
 */

import type { Naming } from "../terms/mentions-user.ts";
import type { Cleaning } from "./clean-event.ts";

type Item = Readonly<Record<string, unknown>>;

/** What stands for a title that named somebody; a title is never missing. */
export const ERASED_TEXT = "[erased]";

/** IPv4, or what IPv6 has at least: two colons with at most four digits before each. */
const ADDRESS = /(?:\d{1,3}\.){3}\d{1,3}|(?:[0-9a-f]{0,4}:){2}/i;

const textsOf = ({ subject, title, message, evidence, metadata }: Item): string[] =>
  [subject, title, message, evidence, metadata].filter((text) => typeof text === "string");

/** Whether an alert names an address: whether it was the user's, its events tell. */
export const namesAddress = (item: Item): boolean => textsOf(item).some((text) => ADDRESS.test(text));

/** A subject is a word, or an event's type and a word: `user:…`, `address:…`, or of the rule. Ids have no spaces. */
const isAbout = ({ subject }: Item, userId: string, naming: Naming): boolean =>
  typeof subject === "string" &&
  subject
    .split(" ")
    .some((word) => word === `user:${userId}` || (!/^(?:user|address):/.test(word) && naming.names(word)));

const parsed = (text: unknown): unknown => (typeof text === "string" ? JSON.parse(text) : undefined);

/**
 * @param holdsTheirEvents whether the alert names an address and came of an event of the user's.
 * @returns undefined where it stays as it is.
 */
export const cleaningOfAlert = (
  item: Item,
  { userId, naming, holdsTheirEvents }: { userId: string; naming: Naming; holdsTheirEvents: boolean },
): "delete" | Cleaning | undefined => {
  if (holdsTheirEvents || isAbout(item, userId, naming)) return "delete";
  const remove = [
    ...["acknowledgedBy", "resolvedBy"].filter((name) => item[name] === userId),
    ...["message", "eventIds", "occurrences"].filter((name) => naming.names(item[name])),
    ...["metadata", "evidence"].filter((name) => naming.names(parsed(item[name]))),
  ];
  const set = naming.names(item.title) ? { title: ERASED_TEXT } : {};
  return remove.length === 0 && Object.keys(set).length === 0 ? undefined : { remove, set };
};
