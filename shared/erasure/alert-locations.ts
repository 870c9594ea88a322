/**
 * The alerts that concern an erased user: deleted if they are about the user, otherwise emptied of what mentions the user.
 * docs/erasure.md, "Alerts".
 */
import { inParallel } from "../runtime/in-parallel.ts";
import { isNoteKey, NOTE_PREFIX, notesOfAlert } from "../security/alerts/alert-note.ts";
import type { UserMatcher } from "../terms/mentions-user.ts";
import {
  type DataLocation,
  type Decision,
  type Item,
  type ItemChange,
  type Partition,
  partitionLocation,
} from "./location.ts";

/** Replaces a title, or the text of a comment, that mentions the user; every alert must have a title. */
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
    ...["acknowledgedBy", "resolvedBy", "assignedBy"].filter((name) => item[name] === userId),
    ...["message", "assignee", "eventIds", "occurrences"].filter((name) => mentions(item[name])),
    ...["metadata", "evidence"].filter((name) => mentions(parseJson(item[name]))),
  ];
  const isTitled = mentions(item.title);
  return remove.length === 0 && !isTitled ? undefined : { remove, set: isTitled ? { title: ERASED_TEXT } : {} };
};

const textsOf = (eventIds: unknown): string[] =>
  (eventIds instanceof Set || Array.isArray(eventIds) ? [...eventIds] : []).filter((id) => typeof id === "string");

/**
 * How a user's erasure changes a note of an alert that is kept; undefined keeps it as it is. A comment of the user loses
 * its text with its author.
 */
export const cleanNote = (item: Item, userId: string, { mentions }: UserMatcher): Decision => {
  const isAuthor = item.by === userId;
  const isText = item.text !== undefined && item.text !== ERASED_TEXT && (isAuthor || mentions(item.text));
  const remove = [...(isAuthor ? ["by"] : []), ...(mentions(item.assignee) ? ["assignee"] : [])];
  return remove.length === 0 && !isText ? undefined : { remove, set: isText ? { text: ERASED_TEXT } : {} };
};

/** The notes of alerts that are kept. Swept after the alerts, which are deleted with their notes. */
export const notesOfUser = (
  alerts: Partition,
  { userId, matcher }: { userId: string; matcher: UserMatcher },
): DataLocation =>
  partitionLocation(
    { name: "alertNotes", counter: "other" },
    alerts,
    (items) => items.map((item) => cleanNote(item, userId, matcher)),
    { prefix: NOTE_PREFIX, attributes: ["by", "assignee", "text"] },
  );

/** Deletes the notes of alerts. */
export const deleteNotes = (alerts: Partition, alertIds: readonly string[]): Promise<void> =>
  inParallel(alertIds, QUERIES_AT_ONCE, async (id) => {
    let after: string | undefined;
    do {
      const { items, next } = await alerts.read(after, { prefix: notesOfAlert(id), attributes: [] });
      await alerts.apply(items.map(({ sortKey }) => ({ key: sortKey, change: "delete" })));
      after = next;
    } while (after !== undefined);
  });

/** Swept before the events, which still name their users then. */
export const alertsOfUser = (
  alerts: Partition,
  holdsEventsOf: HoldsEventsOf,
  { erasureId, ...user }: { userId: string; matcher: UserMatcher; erasureId: string },
): DataLocation => ({
  ...{ name: "alerts", counter: "alerts" },
  read: async (after) => {
    const { items: stored, next } = await alerts.read(after);
    const items = stored.filter(({ sortKey }) => !isNoteKey(sortKey));
    const theirs = new Set<unknown>();
    await inParallel(items.filter(namesAddress), QUERIES_AT_ONCE, async (item) => {
      if (await holdsEventsOf(textsOf(item.eventIds), { userId: user.userId, erasureId })) theirs.add(item);
    });
    const changes = items.flatMap((item): (ItemChange & { id: unknown })[] => {
      const change = cleanAlert(item, { ...user, holdsTheirEvents: theirs.has(item) });
      return change === undefined ? [] : [{ key: item.sortKey, change, id: item.id }];
    });
    const deleted = changes.filter(({ change }) => change === "delete");
    return {
      keys: changes.map(({ key }) => key),
      next,
      erase: async () => {
        await deleteNotes(alerts, textsOf(deleted.map(({ id }) => id)));
        await alerts.apply(changes);
      },
    };
  },
});
