/**
 * Keys of the tables. `#` separates their parts. Values from requests, tokens and the provider are percent-encoded, so
 * they contain no `#` and cannot name another organization's partition. A lone surrogate counts as U+FFFD.
 *
 * If DynamoDB would refuse a key as too long, its last part is `=` and another form of the value: an organization's id in
 * base64url, because it is read back from the key, any other value as a hash. Percent-encoding writes no `=`, so no value
 * has the key of another.
 */
import { createHash } from "node:crypto";

/** DynamoDB's limits: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_PARTITION_KEY_BYTES = 2_048;
export const MAX_SORT_KEY_BYTES = 1_024;

const OTHER_FORM = "=";

/** The shard of a text, from 0 to `shards` − 1. Equal texts have equal shards; texts spread about evenly. */
export const shardOf = (text: string, shards: number): number => {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % shards;
};

/** The number of partitions for events without an organization. Unknown callers cause them, so they may be many. */
export const UNOWNED_SHARDS = 16;

/**
 * An organization's partition. It is short enough for a sort key, because some indexes sort by it: an id of 128 characters
 * has at most 512 bytes, which are 683 in base64url.
 */
export const organizationKey = (organizationId: string): string => {
  const key = `org#${encodeURIComponent(organizationId.toWellFormed())}`;
  return key.length <= MAX_SORT_KEY_BYTES
    ? key
    : `org#${OTHER_FORM}${Buffer.from(organizationId).toString("base64url")}`;
};

/** Whether a partition is an organization's; others are of events without an organization. */
export const isOrganizationKey = (scope: string): boolean => scope.startsWith("org#");

/** The organization that its partition key, or the key of a part of it, names. */
export const organizationIdOf = (key: string): string => {
  const [, part = ""] = key.split("#");
  return part.startsWith(OTHER_FORM) ? Buffer.from(part.slice(1), "base64url").toString() : decodeURIComponent(part);
};

/** A partition for items without an organization. @param spread a text with many values, such as an address. */
export const unownedKey = (spread: string): string => `none#${shardOf(spread, UNOWNED_SHARDS)}`;

/** A partition for some items of a scope: of a user, a risk level, a type, a category or a customer. */
export const partKey = (scope: string, part: string): string => {
  const key = `${scope}#${encodeURIComponent(part.toWellFormed())}`;
  if (key.length <= MAX_PARTITION_KEY_BYTES) return key;
  return `${scope}#${OTHER_FORM}${createHash("sha256").update(part).digest("base64url")}`;
};
