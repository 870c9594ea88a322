/**
 * What an erasure does to security events: they are emptied, not deleted, because statistics count them. Type, category,
 * level, success, duration and time stay, and metadata that the service itself wrote. docs/erasure.md, "Events".
 */
import { eventLeaf } from "../evidence/sealed-log.ts";
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import { newSalt } from "../runtime/ids.ts";
import type { Table } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { networkOf } from "../terms/ip-address.ts";
import { organizationKey } from "../terms/keys.ts";
import { CUT_MARK, type UserMatcher } from "../terms/mentions-user.ts";
import {
  type DataLocation,
  deletedLocation,
  type Item,
  type ItemUpdate,
  type Partition,
  partitionLocation,
} from "../work/location.ts";
import { READ_MARKS, timeOfReadMark } from "./data-read-store.ts";
import { timeOfEventId } from "./event-id.ts";
import { fromItem, sealOf } from "./event-item.ts";

/** Attributes that identify the user or the origin; `userKey` is the key of the index by user. */
const PERSONAL = ["userId", "userKey", "sessionId", "ipAddress", "userAgent", "location"] as const;

/** Resources of the service: a route or a word. Any other resource is an id of the provider. */
const OWN_RESOURCE = /^(?:(?:GET|POST|PUT|DELETE) \/.*|[a-z_]{1,32})$/;

/** Metadata whose texts are the service's own words or random ids. Of other metadata only numbers and flags stay. */
const OWN_TEXTS: readonly string[] = [
  "type",
  "syncType",
  "trigger",
  "recordTypes",
  "method",
  "permission",
  "errorCategory",
  "from",
  "to",
  "cause",
  "requestId",
  "runId",
  "erasureId",
  "scope",
  "recordAccess.member",
  "recordAccess.guest",
  "exportId",
  "kind",
  "format",
  "destinationType",
  "siemFeed",
  "accountActivity",
];

const isFlagOrNumber = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" || value === null;

const parseMetadata = ({ metadata }: Item): unknown =>
  typeof metadata === "string" ? JSON.parse(metadata, reviveExactly) : undefined;

const ownMetadata = (metadata: unknown): unknown => {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return undefined;
  const kept = Object.entries(metadata).filter(([key, value]) => OWN_TEXTS.includes(key) || isFlagOrNumber(value));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

/** @returns undefined if the item has none of the attributes and its metadata stays the same. */
const updateOf = (item: Item, attributes: readonly string[], metadata: unknown): ItemUpdate | undefined => {
  const before = parseMetadata(item);
  const text = metadata === undefined ? undefined : encodeJson(metadata);
  const isSame = text === (before === undefined ? undefined : encodeJson(before));
  const remove = [...attributes, ...(text === undefined ? ["metadata"] : [])].filter(
    (name) => item[name] !== undefined,
  );
  if (remove.length === 0 && isSame) return undefined;
  return { remove, set: text === undefined || isSame ? {} : { metadata: text } };
};

/** The update that removes everything personal from an event; undefined if it has nothing personal. */
export const cleanEvent = (item: Item): ItemUpdate | undefined => {
  const { resource } = item;
  const isOwn = typeof resource === "string" && OWN_RESOURCE.test(resource);
  const attributes = [...PERSONAL, "errorMessage", ...(isOwn ? [] : ["resource"])];
  return updateOf(item, attributes, ownMetadata(parseMetadata(item)));
};

/** Texts of events that may mention a user. */
const TEXTS = [...PERSONAL, "errorMessage", "resource", "action", "errorCode"] as const;

/**
 * The update that removes a user from an event; undefined if the event does not mention the user. The user's own events
 * lose everything personal. Other events lose what mentions the user.
 * @param user.addresses of the user's failed authentications: counts of failures have the address, but no user.
 */
export const cleanEventOfUser = (
  item: Item,
  { userId, matcher, addresses }: { userId: string; matcher: UserMatcher; addresses: ReadonlySet<string> },
): ItemUpdate | undefined => {
  const { mentions, withoutMentions } = matcher;
  const metadata = parseMetadata(item);
  if (item.userId === userId) {
    const resource = mentions(item.resource) ? ["resource"] : [];
    return updateOf(item, [...PERSONAL, "errorMessage", ...resource], withoutMentions(ownMetadata(metadata)));
  }
  const texts = TEXTS.filter((name) => mentions(item[name]));
  const isCountOfTheirs =
    item.userId === undefined && item.eventType === "AUTHENTICATION_FAILURE" && addresses.has(String(item.ipAddress));
  const attributes = isCountOfTheirs ? [...texts, "ipAddress", "userAgent"] : texts;
  return updateOf(item, attributes, withoutMentions(metadata));
};

/** `addresses`: of the user's failed authentications, and their networks; the sweep of the events fills it. */
export type ErasedUser = { userId: string; matcher: UserMatcher; addresses: Set<string> };

/** The leaf of an event before it was emptied, as an attribute. An event of an older version has no salt, and no leaf yet. */
const hashBefore = (item: Item): Item => {
  const { salt, hash } = sealOf(item);
  return salt === undefined || hash !== undefined ? {} : { hash: eventLeaf(fromItem(item), salt) };
};

/**
 * An emptied event keeps the hash of its leaf, whether its hour is sealed or not, so that the hour's root stays what it is.
 * It loses the salt, without which nobody can test a guess of what was erased, and gets another one. It also keeps the
 * erasure's id: a late alert that names such an event's address can then be recognised.
 */
export const emptied = (item: Item, update: ItemUpdate | undefined, erasureId: string): ItemUpdate | undefined =>
  update && { ...update, set: { ...update.set, ...hashBefore(item), salt: newSalt(), erasure: erasureId } };

const identity = { name: "events", counter: "events" } as const;

export const allEvents = (events: Partition, erasureId: string): DataLocation => ({
  ...partitionLocation(identity, events, (items) => items.map((item) => emptied(item, cleanEvent(item), erasureId)), {
    isGuarded: true,
  }),
  createdAt: timeOfEventId,
});

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1);

const MAY_MENTION = ["sessionId", "ipAddress", "userAgent", "errorMessage", "resource", "action", "errorCode"];

/** Matches every event that concerns a user, and some others, such as cut texts; cleanEventOfUser decides. */
const mayConcern = (userId: string) => ({
  condition: [
    "#userId = :user",
    "contains(#metadata, :inJson)",
    ...MAY_MENTION.map((name) => `contains(#${name}, :user)`),
    ...["metadata", ...MAY_MENTION].map((name) => `contains(#${name}, :cut)`),
    "(attribute_not_exists(#userId) AND #eventType = :failure)",
  ].join(" OR "),
  values: { user: userId, inJson: escapeJson(userId), cut: CUT_MARK, failure: "AUTHENTICATION_FAILURE" },
});

/** Like cleanEventOfUser, for events in order of time: it remembers the addresses of the user's failures. */
export const cleanNextOfUser = (item: Item, user: ErasedUser): ItemUpdate | undefined => {
  const { userId, success, ipAddress } = item;
  const isFailure = userId === user.userId && success === false;
  if (isFailure && typeof ipAddress === "string") user.addresses.add(ipAddress).add(networkOf(ipAddress));
  return cleanEventOfUser(item, user);
};

/** Swept in order of time: a count of failures comes after the user's own failures, which contain its address. */
export const eventsOfUser = (events: Partition, erasureId: string, user: ErasedUser): DataLocation => ({
  ...partitionLocation(
    identity,
    events,
    (items) => items.map((item) => emptied(item, cleanNextOfUser(item, user), erasureId)),
    { filter: mayConcern(user.userId), isGuarded: true },
  ),
  createdAt: timeOfEventId,
});

/** Marks of who read what in which minute, as digests. */
export const readMarks = (rollups: Partition): DataLocation => ({
  ...deletedLocation({ name: "readMarks", counter: "other" }, rollups, READ_MARKS),
  createdAt: timeOfReadMark,
});

/** Whether any of some events is the user's, or was before this erasure emptied it. */
export type HoldsEventsOf = (
  eventIds: readonly string[],
  user: { userId: string; erasureId: string },
) => Promise<boolean>;

/** The returned function costs a read unit per event. It throws DomainError `store_unavailable`. */
export const createHoldsEventsOf =
  (table: Table<"securityEvents">) =>
  (organizationId: string): HoldsEventsOf =>
  async (eventIds, { userId, erasureId }) => {
    const scope = organizationKey(organizationId);
    const keys = [...new Set(eventIds)].filter((id) => timeOfEventId(id) !== undefined).map((id) => ({ scope, id }));
    const { items } = await getItems(table, keys, { attributes: ["userId", "erasure"], isConsistent: true });
    return items.some((item) => item.userId === userId || item.erasure === erasureId);
  };
