/** The security events of an organization, emptied of what is personal. They stay, so that statistics stay. */
import * as z from "zod/mini";
import { hashOfAlertId, resolvedKey, unresolvedKey } from "../security/alerts/alert-item.ts";
import { timeOfEventId } from "../security/event-id.ts";
import type { Naming } from "../terms/mentions-user.ts";
import { type Cleaning, cleaningOfAll, cleaningOfUser } from "./clean-event.ts";
import { judgedPlace } from "./partition-places.ts";
import type { Partition } from "./partition-store.ts";
import type { Place } from "./place.ts";

/** Of one erasure: a user, how they are named, and from where they failed to authenticate (erasure-work.ts). */
export type ErasedUser = { userId: string; naming: Naming; addresses: Set<string> };

type Item = Readonly<Record<string, unknown>>;

/** An event that this erasure has emptied says so, for alerts that name its address and are raised late. */
const marked = (cleaning: Cleaning | undefined, erasureId: string): Cleaning | undefined =>
  cleaning && { ...cleaning, set: { ...cleaning.set, erasure: erasureId } };

const named = { name: "events", counts: "events" } as const;

const timeOf = timeOfEventId;

const CLEANED_ATTRIBUTES = [
  ...["userId", "userKey", "sessionId", "ipAddress", "userAgent", "location", "errorMessage", "resource", "metadata"],
];

export const allEvents = (events: Partition, erasureId: string): Place => ({
  ...judgedPlace(named, events, async (items) => items.map((item) => marked(cleaningOfAll(item), erasureId)), {
    attributes: CLEANED_ATTRIBUTES,
  }),
  timeOf,
});

/** What JSON text has in place of a text. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const MAY_NAME = ["sessionId", "ipAddress", "userAgent", "errorMessage", "resource", "action", "errorCode"];

/** Every event that may concern a user, and others: whether it does, cleaningOfUser says. */
const mayConcern = (userId: string) => ({
  condition: [
    ...["#userId = :user", "contains(#metadata, :inJson)"],
    ...MAY_NAME.map((name) => `contains(#${name}, :user)`),
    "(attribute_not_exists(#userId) AND #eventType = :failure)",
  ].join(" OR "),
  values: { user: userId, inJson: inJson(userId), failure: "AUTHENTICATION_FAILURE" },
});

const isTheirFailure = (item: Item, userId: string): boolean => item.userId === userId && item.success === false;

/** In order of time: the events of a user come before the counts of failures that stand for more of them. */
export const eventsOfUser = (events: Partition, erasureId: string, user: ErasedUser): Place => ({
  ...judgedPlace(
    named,
    events,
    async (items) =>
      items.map((item) => {
        const { ipAddress } = item;
        if (isTheirFailure(item, user.userId) && typeof ipAddress === "string") user.addresses.add(ipAddress);
        return marked(cleaningOfUser(item, user), erasureId);
      }),
    { filter: mayConcern(user.userId) },
  ),
  timeOf,
});

const Typed = z.object({ alertId: z.string() });

/** The keys that the alert of an operator's event may lie under. */
const keysOfTyped = ({ metadata }: Item): string[] => {
  const { alertId } = Typed.safeParse(typeof metadata === "string" ? JSON.parse(metadata) : undefined).data ?? {};
  const hash = alertId === undefined ? undefined : hashOfAlertId(alertId);
  return alertId === undefined || hash === undefined ? [] : [unresolvedKey(hash), resolvedKey(alertId)];
};

/** The alerts whose text the user typed: only the events of that know whose it was, so this comes before those. */
export const typedAlerts = (events: Partition, alerts: Partition, userId: string): Place => ({
  name: "typedAlerts",
  counts: "alerts",
  timeOf,
  read: async (after) => {
    const { items, next } = await events.read(after, {
      filter: {
        condition: "#userId = :user AND #eventType = :typed",
        values: { user: userId, typed: "MANUAL_ALERT_GENERATED" },
      },
    });
    const keys = items.flatMap(keysOfTyped);
    return {
      keys: items.map(({ sortKey }) => sortKey),
      next,
      remove: () => alerts.apply(keys.map((key) => ({ key, fate: "delete" }))),
    };
  },
});
