/**
 * What is stored of erasures. Table Erasures: partition key `scope` (the organization's), sort key `key`:
 *
 * - `erasure#<id>` a request, without expiry: what is answered of it (erasure.ts, with the scope as `what`), and while it
 *   is open `userId`, `reason`, `origin` (until the event of the request was recorded), `work` (erasure-work.ts), `leaseOwner`
 *   and `leaseUntil` (epoch ms), `takes`, and `openShard`, its partition in the sparse index byOpen (sort key `key`). When
 *   it is completed, all of these go.
 * - `late#<id>` what an event that arrives late is held against (late-store.ts); `ttl`.
 * - `key#…` Idempotency-Keys (shared/runtime/idempotency-store.ts).
 */
import * as z from "zod/mini";
import { organizationKey } from "../terms/keys.ts";
import { shardOf } from "../terms/shard-of.ts";
import { dueAtOf, type Erasure, erasureScopes, erasureStatuses, Removed } from "./erasure.ts";
import { Work } from "./erasure-work.ts";

const PREFIX = "erasure#";

/** After the keys of all erasures: `$` follows `#`. */
export const ERASURES_END = "erasure$";
export const ERASURES_START = PREFIX;

export const erasureKey = (organizationId: string, erasureId: string) => ({
  scope: organizationKey(organizationId),
  key: PREFIX + erasureId,
});

export const erasureIdOf = (key: string): string => key.slice(PREFIX.length);

export const OPEN_INDEX = "byOpen";
const OPEN_SHARDS = 8;
const shardName = (shard: number): string => `open#${shard}`;
export const openShards: readonly string[] = Array.from({ length: OPEN_SHARDS }, (_, i) => shardName(i));
export const openShardOf = (organizationId: string): string =>
  shardName(shardOf(organizationKey(organizationId), OPEN_SHARDS));

/** Who asked, from where: for the event of the request. */
export const RequestOrigin = z.object({
  requestId: z.string(),
  ipAddress: z.string(),
  userAgent: z.optional(z.string()),
  sessionId: z.optional(z.string()),
});
export type RequestOrigin = z.output<typeof RequestOrigin>;

const Item = z.object({
  key: z.string(),
  what: z.enum(erasureScopes),
  userId: z.optional(z.string()),
  reason: z.optional(z.string()),
  status: z.enum(erasureStatuses),
  requestedAt: z.number(),
  requestedBy: z.string(),
  completedAt: z.optional(z.number()),
  removed: Removed,
  origin: z.optional(RequestOrigin),
  work: z.optional(Work),
  leaseUntil: z.optional(z.number()),
});

/** An erasure as it is stored. `work`: while it is open. */
export type StoredErasure = Omit<z.output<typeof Item>, "key"> & { id: string };

/** What goes when an erasure is completed. */
export const OPEN_ATTRIBUTES = [
  ...["userId", "reason", "origin", "work", "leaseOwner", "leaseUntil", "takes", "openShard"],
] as const;

/** @throws ZodError where what is stored is no erasure: a bug of ours. */
export const parseErasure = (item: unknown): StoredErasure => {
  const { key, ...fields } = Item.parse(item);
  return { ...fields, id: erasureIdOf(key) };
};

/** The erasure as clients see it: never whose data it is about. */
export const toErasure = (stored: StoredErasure): Erasure => {
  const { id, what, status, requestedAt, requestedBy, completedAt, reason, removed } = stored;
  return {
    ...{ id, scope: what, status, requestedAt, requestedBy, dueAt: dueAtOf(requestedAt), removed },
    ...(completedAt !== undefined && { completedAt }),
    ...(reason !== undefined && { reason }),
  };
};
