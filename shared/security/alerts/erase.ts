/**
 * What an erasure does to alerts and their notes. An alert about an erased user is deleted; another one loses the texts
 * that mention the user. docs/erasure.md, "Alerts".
 */
import * as z from "zod/mini";
import { inParallel } from "../../runtime/in-parallel.ts";
import type { Table } from "../../runtime/table.ts";
import { getItems } from "../../runtime/table-batches.ts";
import { organizationKey } from "../../terms/keys.ts";
import type { UserMatcher } from "../../terms/mentions-user.ts";
import {
  changesOf,
  type DataLocation,
  type Decision,
  deletedLocation,
  deleteWithPrefix,
  ERASED_TEXT,
  type Item,
  type Partition,
  partitionLocation,
} from "../../work/location.ts";
import type { HoldsEventsOf } from "../erase.ts";
import { timeOfEventId } from "../event-id.ts";
import { hashOfAlertId, resolvedKey, unresolvedKey } from "./alert-item.ts";
import { isNoteKey, NOTE_PREFIX, notesOfAlert } from "./alert-note.ts";

const QUERIES_AT_ONCE = 8;

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
    ...["acknowledgedBy", "resolvedBy", "assignedBy", "reopenedBy"].filter((name) => item[name] === userId),
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

/** All alerts and their notes. */
export const allAlerts = (alerts: Partition): DataLocation[] => [
  deletedLocation({ name: "alertNotes", counter: "other" }, alerts, NOTE_PREFIX),
  deletedLocation({ name: "alerts", counter: "alerts" }, alerts),
];

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
const deleteNotes = (alerts: Partition, alertIds: readonly string[]): Promise<void> =>
  inParallel(alertIds, QUERIES_AT_ONCE, (id) => deleteWithPrefix(alerts, notesOfAlert(id)));

/** Swept before the events, which still name their users then. */
export const alertsOfUser = (
  alerts: Partition,
  holdsEventsOf: HoldsEventsOf,
  { erasureId, ...user }: { userId: string; matcher: UserMatcher; erasureId: string },
): DataLocation => ({
  name: "alerts",
  counter: "alerts",
  read: async (after) => {
    const { items: stored, next } = await alerts.read(after);
    const items = stored.filter(({ sortKey }) => !isNoteKey(sortKey));
    const theirs = new Set<unknown>();
    await inParallel(items.filter(namesAddress), QUERIES_AT_ONCE, async (item) => {
      if (await holdsEventsOf(textsOf(item.eventIds), { userId: user.userId, erasureId })) theirs.add(item);
    });
    const changes = changesOf(items, (item) => cleanAlert(item, { ...user, holdsTheirEvents: theirs.has(item) }));
    const deletedKeys = new Set(changes.flatMap(({ key, change }) => (change === "delete" ? [key] : [])));
    const deletedIds = textsOf(items.filter(({ sortKey }) => deletedKeys.has(sortKey)).map(({ id }) => id));
    return {
      keys: changes.map(({ key }) => key),
      next,
      erase: async () => {
        await deleteNotes(alerts, deletedIds);
        await alerts.apply(changes);
      },
    };
  },
});

const ManualAlertFacts = z.object({ alertId: z.string() });

/** The alert of an operator's event. */
const manualAlertOf = ({ metadata }: Item): string[] => {
  const facts = ManualAlertFacts.safeParse(typeof metadata === "string" ? JSON.parse(metadata) : undefined);
  return facts.success ? [facts.data.alertId] : [];
};

/** The keys under which an alert may be stored. */
const keysOfAlert = (alertId: string): string[] => {
  const hash = hashOfAlertId(alertId);
  return hash === undefined ? [] : [unresolvedKey(hash), resolvedKey(alertId)];
};

/**
 * The alerts that the user typed, and their notes. Only their events name the author, so this location is swept before the
 * events.
 */
export const typedAlertsOfUser = (events: Partition, alerts: Partition, userId: string): DataLocation => ({
  name: "typedAlerts",
  counter: "alerts",
  createdAt: timeOfEventId,
  read: async (after) => {
    const { items, next } = await events.read(after, {
      filter: {
        condition: "#userId = :user AND #eventType = :manual",
        values: { user: userId, manual: "MANUAL_ALERT_GENERATED" },
      },
    });
    const alertIds = items.flatMap(manualAlertOf);
    const keys = alertIds.flatMap(keysOfAlert);
    return {
      keys: items.map(({ sortKey }) => sortKey),
      next,
      erase: async () => {
        await deleteNotes(alerts, alertIds);
        await alerts.apply(keys.map((key) => ({ key, change: "delete" })));
      },
    };
  },
});

/** Which of some alerts are stored. */
export type FindAlerts = (alertIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** The returned function reads a read unit or two per alert. It throws DomainError `store_unavailable`. */
export const createFindAlerts =
  (table: Table<"securityAlerts">) =>
  (organizationId: string): FindAlerts =>
  async (alertIds) => {
    const scope = organizationKey(organizationId);
    const read = async (keys: Iterable<string>): Promise<string[]> => {
      const wanted = [...new Set(keys)].map((key) => ({ scope, key }));
      const { items } = await getItems(table, wanted, { attributes: ["id"], isConsistent: true });
      return textsOf(items.map(({ id }) => id));
    };
    const found = new Set(await read(alertIds.flatMap((id) => hashOfAlertId(id) ?? []).map(unresolvedKey)));
    // In this order: an alert that is resolved in between is found by the second read.
    const missing = alertIds.filter((id) => !found.has(id));
    return new Set([...found, ...(await read(missing.map(resolvedKey)))]);
  };
