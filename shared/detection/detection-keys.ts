/**
 * The keys of detection's table: partition key `scope`, sort key `key`, expiry `ttl`. A scope is an organization's key,
 * or `none` for events without an organization, whose 16 partitions are judged together.
 *
 * - `window#2026-11-21T10` an hour that was judged: what came of it, and what the next hour needs (window-item.ts).
 * - `unjudged#2026-11-21T10` a mark: the hour has events, is closed and was not judged (unjudged-store.ts). In the sparse
 *   index byUnjudged: partition key `unjudgedShard` ("0" to "7"), sort key `key`, keys only.
 * - `baseline` what the organization does on its days (baseline-store.ts); `user#<hash>` the same of a user.
 *
 * Scope `#detector`, key `2026-11-21T10`: that the hour's detection was dispatched, and to how many (heartbeat-store.ts).
 */
import { createHash } from "node:crypto";
import { hourName, timeOfName } from "../terms/hours.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { shardOf } from "../terms/shard-of.ts";

/** The scope of events without an organization. */
export const UNOWNED_SCOPE = "none";

export const detectionScope = (organizationId: string | undefined): string =>
  organizationId === undefined ? UNOWNED_SCOPE : organizationKey(organizationId);

const isUnowned = (partition: string): boolean => partition.split("#", 1)[0] === UNOWNED_SCOPE;

/** The scope that a partition of events is judged in. */
export const scopeOfPartition = (partition: string): string => (isUnowned(partition) ? UNOWNED_SCOPE : partition);

/** The organization of a scope; undefined for events without one. */
export const organizationOfScope = (scope: string): string | undefined =>
  isUnowned(scope) ? undefined : organizationIdOf(scope);

export const WINDOW_PREFIX = "window#";

/** @param hour epoch ms. */
export const windowKey = (hour: number): string => WINDOW_PREFIX + hourName(hour);

export const hourOfWindowKey = (key: string): number => timeOfName(key.slice(WINDOW_PREFIX.length));

const UNJUDGED_PREFIX = "unjudged#";

const UNJUDGED_SHARDS = 8;

export const unjudgedShards: readonly string[] = Array.from({ length: UNJUDGED_SHARDS }, (_, shard) => String(shard));

export const unjudgedShardOf = (scope: string): string => String(shardOf(scope, UNJUDGED_SHARDS));

export const unjudgedKey = (hour: number): string => UNJUDGED_PREFIX + hourName(hour);

export const hourOfUnjudgedKey = (key: string): number => timeOfName(key.slice(UNJUDGED_PREFIX.length));

export const BASELINE_KEY = "baseline";

export const DETECTOR_SCOPE = "#detector";

export const USER_PREFIX = "user#";

const USER_HASH_BYTES = 9;

/** What stands for a user in baselines: 12 characters, other ones in each organization. */
export const userHash = (scope: string, userId: string): string =>
  createHash("sha256").update(`${scope}\n${userId}`).digest().subarray(0, USER_HASH_BYTES).toString("base64url");

export const userKey = (hash: string): string => USER_PREFIX + hash;
