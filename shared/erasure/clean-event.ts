/**
 * Which parts of a stored security event are personal and are removed. Statistics stay: type, category, level, success,
 * duration and time, and metadata that the service itself wrote. Pure. docs/erasure.md, "Events".
 */
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import type { UserMatcher } from "../terms/mentions-user.ts";
import type { Item, ItemUpdate } from "./location.ts";

/** Attributes that identify the user or the origin; `userKey` is the key of the index by user. */
const PERSONAL = ["userId", "userKey", "sessionId", "ipAddress", "userAgent", "location"] as const;

/** Resources of the service: a route or a word. Any other resource is an id of the provider. */
const OWN_RESOURCE = /^(?:(?:GET|POST|PUT|DELETE) \/.*|[a-z_]{1,32})$/;

/** Metadata whose texts are the service's own words or random ids. Of other metadata only numbers and flags stay. */
const OWN_TEXTS: readonly string[] = [
  ...["type", "syncType", "trigger", "recordTypes", "method", "permission", "errorCategory"],
  ...["from", "to", "cause", "requestId", "runId", "erasureId", "scope", "recordAccess.member", "recordAccess.guest"],
  ...["exportId", "kind", "format", "destinationType", "siemFeed"],
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
