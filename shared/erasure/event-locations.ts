/** An organization's security events. They are emptied, not deleted: statistics count them. */
import * as z from "zod/mini";
import { hashOfAlertId, resolvedKey, unresolvedKey } from "../security/alerts/alert-item.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { networkOf } from "../terms/ip-address.ts";
import { CUT_MARK, type UserMatcher } from "../terms/mentions-user.ts";
import { deleteNotes } from "./alert-locations.ts";
import { cleanEvent, cleanEventOfUser } from "./clean-event.ts";
import { type DataLocation, type Item, type ItemUpdate, type Partition, partitionLocation } from "./location.ts";

/** `addresses`: of the user's failed authentications, and their networks; filled by the sweep of the events (passes.ts). */
export type ErasedUser = { userId: string; matcher: UserMatcher; addresses: Set<string> };

/** Emptied events keep the erasure's id. A late alert that names such an event's address can then be recognised. */
const withErasureId = (update: ItemUpdate | undefined, erasureId: string): ItemUpdate | undefined =>
  update && { ...update, set: { ...update.set, erasure: erasureId } };

const identity = { name: "events", counter: "events" } as const;
const createdAt = timeOfEventId;

const CLEANED_ATTRIBUTES = [
  ...["userId", "userKey", "sessionId", "ipAddress", "userAgent", "location", "errorMessage", "resource", "metadata"],
];

export const allEvents = (events: Partition, erasureId: string): DataLocation => ({
  ...partitionLocation(identity, events, (items) => items.map((item) => withErasureId(cleanEvent(item), erasureId)), {
    attributes: CLEANED_ATTRIBUTES,
  }),
  createdAt,
});

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const MAY_MENTION = ["sessionId", "ipAddress", "userAgent", "errorMessage", "resource", "action", "errorCode"];

/** Matches every event that concerns a user, and some others, such as cut texts; cleanEventOfUser decides. */
const mayConcern = (userId: string) => ({
  condition: [
    ...["#userId = :user", "contains(#metadata, :inJson)"],
    ...MAY_MENTION.map((name) => `contains(#${name}, :user)`),
    ...["metadata", ...MAY_MENTION].map((name) => `contains(#${name}, :cut)`),
    "(attribute_not_exists(#userId) AND #eventType = :failure)",
  ].join(" OR "),
  values: { user: userId, inJson: escapeJson(userId), cut: CUT_MARK, failure: "AUTHENTICATION_FAILURE" },
});

/** Swept in order of time: a count of failures comes after the user's own failures, which contain its address. */
export const eventsOfUser = (events: Partition, erasureId: string, user: ErasedUser): DataLocation => ({
  ...partitionLocation(
    identity,
    events,
    (items) =>
      items.map((item) => {
        const { userId, success, ipAddress } = item;
        const isFailure = userId === user.userId && success === false;
        if (isFailure && typeof ipAddress === "string") user.addresses.add(ipAddress).add(networkOf(ipAddress));
        return withErasureId(cleanEventOfUser(item, user), erasureId);
      }),
    { filter: mayConcern(user.userId) },
  ),
  createdAt,
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

/** The alerts that the user typed, and their notes. Only their events name the author, so this location is swept before the events. */
export const typedAlertsOfUser = (events: Partition, alerts: Partition, userId: string): DataLocation => ({
  name: "typedAlerts",
  counter: "alerts",
  createdAt,
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
