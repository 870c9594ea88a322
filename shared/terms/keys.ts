/**
 * Partition keys of the tables. `#` separates their parts. Values from requests and tokens are percent-encoded, so they
 * contain no `#` and cannot name another organization's partition.
 */
/** The shard of a text, from 0 to `shards` − 1. Equal texts have equal shards; texts spread about evenly. */
export const shardOf = (text: string, shards: number): number => {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % shards;
};

/** The number of partitions for events without an organization. Unknown callers cause them, so they may be many. */
export const UNOWNED_SHARDS = 16;

/** An organization's partition. */
export const organizationKey = (organizationId: string): string => `org#${encodeURIComponent(organizationId)}`;

/** A partition for items without an organization. @param spread a text with many values, such as an address. */
export const unownedKey = (spread: string): string => `none#${shardOf(spread, UNOWNED_SHARDS)}`;

/** A partition for some items of an organization: of a user, a risk level, a type or a category. */
export const partKey = (scope: string, part: string): string => `${scope}#${encodeURIComponent(part)}`;

/** The organization that a partition key names. */
export const organizationIdOf = (key: string): string => decodeURIComponent(key.slice(key.indexOf("#") + 1));
