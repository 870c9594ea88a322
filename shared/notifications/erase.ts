/**
 * What an erasure does to notifications: to the destinations, and to what was sent or will be sent to them. All of them go
 * with the organization's data: a destination has the address of a person, or the secret of another system.
 * docs/erasure.md, "Notifications".
 */
import * as z from "zod/mini";
import { inParallel } from "../runtime/in-parallel.ts";
import type { FindAlerts } from "../security/alerts/erase.ts";
import { timeOfEventId } from "../security/event-id.ts";
import type { Recorder } from "../security/recorder.ts";
import { createUserMatcher, type UserMatcher } from "../terms/mentions-user.ts";
import {
  changesOf,
  type DataLocation,
  type Decision,
  deleteWithPrefix,
  ERASED_TEXT,
  type ErasedAuthors,
  type Item,
  NO_AUTHOR,
  type Partition,
  partitionLocation,
  type StoredItem,
  singleLocation,
} from "../work/location.ts";
import { StoredDelivery } from "./delivery.ts";
import type { DestinationStore } from "./destination-store.ts";
import { type Notification, type NotifiedAlert, parseNotification, SummarizedAlert } from "./messages/notification.ts";
import { createDestinationRecorder } from "./notification-events.ts";
import {
  alertIdOfKey,
  CONFIRMATIONS_KEY,
  COUNT_KEY,
  DESTINATION_PREFIX,
  MAILS_KEY,
  SENDING_KEY,
  sentPrefixes,
  TESTS_KEY,
} from "./notification-items.ts";

export type NotificationDependencies = {
  destinations: Pick<DestinationStore, "delete" | "list" | "listDeletions" | "forgetChange">;
  recorder: Pick<Recorder, "record">;
};

/**
 * The authors of unrecorded changes of destinations. A change is recorded as an event first, because audits expect it. The
 * later sweep of the events cleans it.
 */
export const destinationAuthors = (
  { destinations, recorder }: NotificationDependencies,
  organizationId: string,
  { isErased }: ErasedAuthors,
): DataLocation =>
  singleLocation("destinationChanges", async () => {
    const [stored, deletions] = await Promise.all([
      destinations.list(organizationId),
      destinations.listDeletions(organizationId),
    ]);
    const erased = [...stored.flatMap(({ change }) => change ?? []), ...deletions].filter(
      ({ userId }) => userId !== undefined && isErased(userId),
    );
    if (erased.length === 0) return undefined;
    const record = createDestinationRecorder({ recorder, destinations });
    return async () => {
      for (const change of erased) await record(organizationId, change);
    };
  });

const DELETED_AT_ONCE = 4;

const idOfDestination = (key: string): string => key.slice(DESTINATION_PREFIX.length);

/** @param decide undefined keeps a destination as it is. With a destination, everything that was sent to it is deleted. */
const destinationsLocation = (
  { destinations }: Pick<NotificationDependencies, "destinations">,
  organizationId: string,
  notifications: Partition,
  decide: (item: Item) => Decision,
): DataLocation => ({
  name: "destinations",
  counter: "other",
  createdAt: (key) => timeOfEventId(idOfDestination(key)),
  read: async (after) => {
    const { items, next } = await notifications.read(after, {
      prefix: DESTINATION_PREFIX,
      attributes: ["name", "target", "createdBy", "changedBy"],
    });
    const changes = changesOf(items, decide);
    const deleted = changes.filter(({ change }) => change === "delete").map(({ key }) => idOfDestination(key));
    const updates = changes.filter(({ change }) => change !== "delete");
    return {
      keys: changes.map(({ key }) => key),
      next,
      erase: async () => {
        await inParallel(deleted, DELETED_AT_ONCE, async (id) => {
          // In this order: after a crash in between, the destination is found again, and what was sent is not counted apart.
          for (const prefix of sentPrefixes(id)) await deleteWithPrefix(notifications, prefix);
          await destinations.delete(organizationId, id);
        });
        await notifications.apply(updates, new Map(items.map((item) => [item.sortKey, item])));
      },
    };
  },
});

/** Items that bound destinations, samples, tries and mails. They contain no personal data. */
const isLimit = (key: string): boolean =>
  [COUNT_KEY, TESTS_KEY, SENDING_KEY].includes(key) || key.startsWith(CONFIRMATIONS_KEY) || key.startsWith(MAILS_KEY);

export const allNotifications = (
  dependencies: NotificationDependencies,
  organizationId: string,
  notifications: Partition,
): DataLocation[] => [
  destinationsLocation(dependencies, organizationId, notifications, () => "delete"),
  partitionLocation(
    { name: "notifications", counter: "other" },
    notifications,
    (items) =>
      items.map(({ sortKey }) => (isLimit(sortKey) || sortKey.startsWith(DESTINATION_PREFIX) ? undefined : "delete")),
    { attributes: [] },
  ),
];

/** What a user's erasure removes from notifications: mentions, and alerts that the erasure deleted. */
type Removing = { userId: string; mentions: UserMatcher["mentions"]; isStored(alertId: string): boolean };

/** An alert as a notification shows it, without the user; undefined if it is about the user, or is not stored any more. */
const withoutUser = <Shown extends NotifiedAlert>(
  shown: Shown,
  { mentions, isStored }: Removing,
): Shown | undefined => {
  if (!isStored(shown.id) || mentions(shown.subject)) return undefined;
  const removed = (["message", "resolvedBy"] as const).filter((name) => mentions(shown[name]));
  const isTitled = mentions(shown.title);
  if (removed.length === 0 && !isTitled) return shown;
  const cleaned = { ...shown, ...(isTitled && { title: ERASED_TEXT }) };
  for (const name of removed) delete cleaned[name];
  return cleaned;
};

/** A notification without the user; the same object if it has nothing of the user, undefined if nothing is left to say. */
const cleanNotification = (notification: Notification, removing: Removing): Notification | undefined => {
  switch (notification.type) {
    case "security.alert.raised":
    case "security.alert.escalated":
    case "security.alert.resolved": {
      const { data } = notification;
      const alert = withoutUser(data.alert, removing);
      return alert === data.alert ? notification : alert && { ...notification, data: { ...data, alert } };
    }
    case "security.alerts.summary": {
      const { data } = notification;
      const alerts = data.alerts.flatMap((shown) => withoutUser(shown, removing) ?? []);
      const isSame = alerts.length === data.alerts.length && alerts.every((shown, i) => shown === data.alerts[i]);
      // The numbers stay, as statistics do.
      return isSame ? notification : { ...notification, data: { ...data, alerts } };
    }
    // The name of the destination.
    case "notification.test":
    case "destination.confirmation":
      return removing.mentions(notification.data.destination.name) ? undefined : notification;
    case "report.created":
      return notification;
  }
};

const textOf = (text: unknown): string | undefined => (typeof text === "string" ? text : undefined);

/** The notification of a delivery; undefined for other items, and for a summary that has not begun to be sent. */
const notificationOf = (item: Item): Notification | undefined => {
  const text = textOf(item.notification);
  return text === undefined ? undefined : parseNotification(text);
};

const { attempts: Attempts } = StoredDelivery.shape;

/** The decision for a delivery. */
const cleanDelivery = (item: Item, removing: Removing): Decision => {
  const { userId, mentions } = removing;
  const before = notificationOf(item);
  const after = before && cleanNotification(before, removing);
  if (before !== undefined && after === undefined) return "delete";
  const attempts = Attempts.parse(item.attempts);
  const set = {
    ...(after !== before && { notification: JSON.stringify(after) }),
    ...(attempts.some(({ answer }) => mentions(answer)) && {
      attempts: attempts.map(({ answer, ...rest }) => ({
        ...rest,
        ...(answer !== undefined && !mentions(answer) && { answer }),
      })),
    }),
  };
  const remove = item.requestedBy === userId ? ["requestedBy"] : [];
  return remove.length === 0 && Object.keys(set).length === 0 ? undefined : { remove, set };
};

/** The decision for a notification that waits in a summary. */
const cleanHeld = (entry: string, removing: Removing): Decision => {
  const before = SummarizedAlert.parse(JSON.parse(entry));
  const after = withoutUser(before, removing);
  if (after === undefined) return "delete";
  return after === before ? undefined : { remove: [], set: { entry: JSON.stringify(after) } };
};

/** What a silencing and a delivery to an old address have of it. */
const Former = z.object({ target: z.string() });

const cleanSent = (item: StoredItem, removing: Removing): Decision => {
  const former = Former.safeParse(item.former).data;
  if (former !== undefined && removing.mentions(former.target)) return "delete";
  if (removing.mentions(textOf(item.title))) return { remove: [], set: { title: ERASED_TEXT } };
  const alertId = alertIdOfKey(item.sortKey);
  if (alertId !== undefined && !removing.isStored(alertId)) return "delete";
  const entry = textOf(item.entry);
  return entry === undefined ? cleanDelivery(item, removing) : cleanHeld(entry, removing);
};

/** The alerts that an item is about. */
const alertIdsOf = (item: StoredItem): string[] => {
  const data = notificationOf(item)?.data;
  if (data !== undefined && "alerts" in data) return data.alerts.map(({ id }) => id);
  const id = data !== undefined && "alert" in data ? data.alert.id : alertIdOfKey(item.sortKey);
  return id === undefined ? [] : [id];
};

/**
 * Swept after the alerts: what was sent about a deleted alert is deleted as well. Of other notifications the text that
 * mentions the user goes. A destination whose address or URL mentions the user is deleted.
 * @param identifiers the user's id and the addresses known at that time.
 */
export const notificationsOfUser = (
  dependencies: NotificationDependencies,
  organizationId: string,
  notifications: Partition,
  { userId, identifiers, findAlerts }: { userId: string; identifiers: () => readonly string[]; findAlerts: FindAlerts },
): DataLocation[] => {
  const { mentions } = createUserMatcher([userId]);
  const cleanDestination = ({ name, target, createdBy, changedBy }: Item): Decision => {
    if (mentions(target)) return "delete";
    const set = {
      ...(mentions(name) && { name: ERASED_TEXT }),
      ...(createdBy === userId && { createdBy: NO_AUTHOR }),
      ...(changedBy === userId && { changedBy: NO_AUTHOR }),
    };
    return Object.keys(set).length === 0 ? undefined : { remove: [], set };
  };
  return [
    destinationsLocation(dependencies, organizationId, notifications, cleanDestination),
    partitionLocation(
      { name: "notifications", counter: "other" },
      notifications,
      async (items) => {
        const stored = await findAlerts([...new Set(items.flatMap(alertIdsOf))]);
        const matcher = createUserMatcher(identifiers());
        const removing = { userId, mentions: matcher.mentions, isStored: (id: string) => stored.has(id) };
        return items.map((item) => cleanSent(item, removing));
      },
      { attributes: ["notification", "attempts", "requestedBy", "entry", "former", "title"], isGuarded: true },
    ),
  ];
};
