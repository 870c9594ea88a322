/**
 * The keys of the breaker's table: partition key `id`, no sort key; index `notClosed` (partition key `sh`, no sort key,
 * projecting `ou`).
 *
 * A circuit's key is 16 characters of the SHA-256 of the organization's id (96 bits). So no id can reach another
 * organization's key, and an index entry has the same size for every id.
 */
import { createHash } from "node:crypto";
import { shardOf } from "../terms/keys.ts";
import { CIRCUITS_NOT_CLOSED } from "../terms/tables.ts";

/**
 * The two attributes of an index entry, as expressions name them. Only these names are short: GET circuit-breaker reads
 * all entries, and with 10,000 circuits open each further letter costs 1.2 read units (47 as it is, 54 written out).
 */
export const indexNames = {
  shard: CIRCUITS_NOT_CLOSED.partitionKey,
  until: CIRCUITS_NOT_CLOSED.holds[0],
} as const;

/** Open and half-open circuits. An index partition takes 1,000 writes a second, and the table throttles with it. */
export const INDEX_SHARDS = ["0", "1", "2", "3"] as const;

/** Circuits that an operator holds open: when the hold ends, they are closed instead of half-open. */
export const HELD_SHARD = "f";

/** The same two groups for organizations without a connection, which the count of connections leaves out. */
export const UNCONNECTED_SHARD = "u";
export const UNCONNECTED_HELD_SHARD = "uf";

/** The key of an organization's circuit. */
export const circuitKey = (organizationId: string): string =>
  createHash("sha256").update(organizationId).digest("base64url").slice(0, 16);

/** The index partition of a connected organization's circuit while it is open or half-open. */
export const indexShard = (organizationId: string): string =>
  INDEX_SHARDS[circuitKey(organizationId).charCodeAt(0) % INDEX_SHARDS.length] ?? INDEX_SHARDS[0];

/** Buckets of request counts per organization: a bucket takes 1,000 additions a second, and GET reads every bucket. */
const ORGANIZATION_BUCKETS = 2;
const GLOBAL_BUCKETS = 6;

const buckets = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, bucket) => `${prefix}.${bucket}`);

/** The buckets of an organization. A circuit's key has no dot, so it never equals a bucket's. */
export const bucketKeys = (organizationId: string): string[] =>
  buckets(circuitKey(organizationId), ORGANIZATION_BUCKETS);

/** The buckets of the sums over all organizations. */
export const globalBucketKeys: readonly string[] = buckets("all", GLOBAL_BUCKETS);

/** The bucket of an instance. An instance always uses the same bucket, so only that bucket holds its sequence number. */
export const bucketOf = (keys: readonly string[], instance: string): string =>
  keys[shardOf(instance, keys.length)] ?? "";
