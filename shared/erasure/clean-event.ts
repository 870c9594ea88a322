/**
 * What of a stored security event is personal, and goes; what it counts as (type, category, level, success, duration and
 * time) stays, and so do our own words in its metadata. Pure. docs/erasure.md, "Events".
 */
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import type { Naming } from "../terms/mentions-user.ts";

/** Attributes that say who it was and from where; the key of the index by user is one. */
const PERSONAL = ["userId", "userKey", "sessionId", "ipAddress", "userAgent", "location"] as const;

/** Resources that are ours: a route, or a word. What else stands there is an id of the provider. */
const OWN_RESOURCE = /^(?:(?:GET|POST|PUT|DELETE) \/.*|[a-z_]{1,32})$/;

/** Metadata whose texts are our own words or our own random ids. Of anything else only numbers and flags stay. */
const OWN_TEXTS: readonly string[] = [
  ...["type", "syncType", "trigger", "recordTypes", "method", "permission", "errorCategory"],
  ...["from", "to", "cause", "requestId", "runId", "erasureId", "scope", "recordAccess.member", "recordAccess.guest"],
];

type Item = Readonly<Record<string, unknown>>;

/** What is to be done to an item: attributes to remove, and texts that replace what was there. */
export type Cleaning = { remove: readonly string[]; set: Readonly<Record<string, string>> };

const isFlagOrNumber = (value: unknown): boolean =>
  typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" || value === null;

const metadataOf = ({ metadata }: Item): unknown =>
  typeof metadata === "string" ? JSON.parse(metadata, reviveExactly) : undefined;

const ownMetadata = (metadata: unknown): unknown => {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return undefined;
  const kept = Object.entries(metadata).filter(([key, value]) => OWN_TEXTS.includes(key) || isFlagOrNumber(value));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

/** @returns undefined where there is nothing to do. */
const cleaningOf = (item: Item, names: readonly string[], metadata: unknown): Cleaning | undefined => {
  const before = metadataOf(item);
  const text = metadata === undefined ? undefined : encodeJson(metadata);
  const isSame = text === (before === undefined ? undefined : encodeJson(before));
  const gone = [...names, ...(text === undefined ? ["metadata"] : [])].filter((name) => item[name] !== undefined);
  if (gone.length === 0 && isSame) return undefined;
  return { remove: gone, set: text === undefined || isSame ? {} : { metadata: text } };
};

/** The cleaning of an event of which nothing personal is to be left. */
export const cleaningOfAll = (item: Item): Cleaning | undefined => {
  const { resource } = item;
  const isOwn = typeof resource === "string" && OWN_RESOURCE.test(resource);
  return cleaningOf(item, [...PERSONAL, "errorMessage", ...(isOwn ? [] : ["resource"])], ownMetadata(metadataOf(item)));
};

/** Texts of events that may name anybody. */
const TEXTS = [...PERSONAL, "errorMessage", "resource", "action", "errorCode"] as const;

/**
 * The cleaning of an event from which a user is to go: of their own events everything personal, of others' what names
 * them, and of counts of failures the address that was theirs.
 * @param addresses from which the user failed to authenticate: counts of failures have no user, but the address.
 */
export const cleaningOfUser = (
  item: Item,
  { userId, naming, addresses }: { userId: string; naming: Naming; addresses: ReadonlySet<string> },
): Cleaning | undefined => {
  const metadata = metadataOf(item);
  if (item.userId === userId) {
    const { resource } = item;
    const named = naming.names(resource) ? ["resource"] : [];
    return cleaningOf(item, [...PERSONAL, "errorMessage", ...named], naming.without(ownMetadata(metadata)));
  }
  const named = TEXTS.filter((name) => naming.names(item[name]));
  const isTheirCount =
    item.userId === undefined && item.eventType === "AUTHENTICATION_FAILURE" && addresses.has(String(item.ipAddress));
  const remove = isTheirCount ? [...named, "ipAddress", "userAgent"] : named;
  return cleaningOf(item, remove, naming.names(metadata) ? naming.without(metadata) : metadata);
};
