/** The keys of the statistics' buckets, beside the circuits in the breaker's table. No circuit's key has a dot. */
import { circuitKey } from "./circuit-keys.ts";

/** A bucket takes 1,000 additions a second, and an instance adds once per invocation. Every bucket is read each time. */
const ORGANIZATION_BUCKETS = 2;
const GLOBAL_BUCKETS = 6;

const shards = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, shard) => `${prefix}.${shard}`);

export const bucketKeys = (organizationId: string): string[] =>
  shards(circuitKey(organizationId), ORGANIZATION_BUCKETS);

export const globalBucketKeys: readonly string[] = shards("all", GLOBAL_BUCKETS);

/** The bucket that an instance adds to; always the same one, so that it holds one mark of it. */
export const bucketOf = (keys: readonly string[], instance: string): string => {
  const sum = [...instance].reduce((total, character) => total * 31 + character.charCodeAt(0), 7);
  return keys[sum % keys.length] ?? "";
};
