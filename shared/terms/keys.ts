/**
 * Partition keys of the security tables. Every part that comes from outside is percent-encoded, so that no value can
 * reach into another's partition: `#` separates and occurs in no part.
 */
/** The part, from 0 to `shards` − 1, that a text falls into: the same one each time, and all about equally often. */
export const shardOf = (text: string, shards: number): number => {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % shards;
};

/** Events without an organization come from strangers; their partitions are shared out so that none gets hot. */
export const UNOWNED_SHARDS = 16;

/** An organization's partition. */
export const organizationKey = (organizationId: string): string => `org#${encodeURIComponent(organizationId)}`;

/** One of the partitions of what belongs to no organization, by an address or another text that spreads. */
export const unownedKey = (spread: string): string => `none#${shardOf(spread, UNOWNED_SHARDS)}`;

/** A part of an organization's partition of its own: a user's, a risk level's, a type's or a category's. */
export const partKey = (scope: string, part: string): string => `${scope}#${encodeURIComponent(part)}`;

/** The organization whose partition it is. */
export const organizationIdOf = (key: string): string => decodeURIComponent(key.slice(key.indexOf("#") + 1));
