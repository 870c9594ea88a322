/**
 * The stored items of erasures. Table Erasures: partition key `scope` (the organization's), sort key `key`:
 *
 * - `erasure#<id>` a request, without expiry: the fields of erasure.ts, with the scope as `what`. Until the erasure
 *   completes, also: `userId`, `reason`, `origin` (until the event of the request is recorded), `work` (passes.ts), the
 *   attributes of the lease (shared/work/lease.ts), and `openShard`, the partition key of the sparse index byOpen.
 * - `late#<id>` the rule for late events (late-store.ts); `ttl`.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { organizationKey } from "../terms/keys.ts";
import { RequestOrigin } from "../terms/requester.ts";
import { OPEN_ERASURES } from "../terms/tables.ts";
import { LEASE_ATTRIBUTES } from "../work/lease.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import { dueAtOf, type Erasure, erasureScopes, erasureStatuses, Removed } from "./erasure.ts";
import { Work } from "./passes.ts";

export const ERASURE_PREFIX = "erasure#";

export const erasureKey = (organizationId: string, erasureId: string) => ({
  scope: organizationKey(organizationId),
  key: ERASURE_PREFIX + erasureId,
});

export const openErasures = defineShardedIndex(OPEN_ERASURES, { count: 8, prefix: "open#" });

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

/** A stored erasure; `work` is absent once it is completed. */
export type StoredErasure = Omit<z.output<typeof Item>, "key"> & { id: string };

/** The attributes that are removed when an erasure completes. */
export const OPEN_ATTRIBUTES = ["userId", "reason", "origin", "work", ...LEASE_ATTRIBUTES, "openShard"] as const;

/** @throws ZodError if the item is not an erasure, which is a bug. */
export const parseErasure = (item: unknown): StoredErasure => {
  const { key, ...fields } = Item.parse(item);
  return { ...fields, id: key.slice(ERASURE_PREFIX.length) };
};

/** The erasure as clients see it, without the user's id. */
export const toErasure = (stored: StoredErasure): Erasure => {
  const { id, what, status, requestedAt, requestedBy, completedAt, reason, removed } = stored;
  return {
    id,
    scope: what,
    status,
    requestedAt,
    requestedBy,
    dueAt: dueAtOf(requestedAt),
    removed,
    ...definedFields({ completedAt, reason }),
  };
};
