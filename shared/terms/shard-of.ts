/** The part, from 0 to `shards` − 1, that a text falls into: the same one each time, and all about equally often. */
export const shardOf = (text: string, shards: number): number => {
  let hash = 0;
  for (const character of text) hash = (Math.imul(hash, 31) + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % shards;
};
