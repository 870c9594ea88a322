import { DomainError } from "../runtime/domain-error.ts";
import type { Table } from "../runtime/table.ts";
import { putPart, transactOnce } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import type { RequestOrigin } from "../terms/requester.ts";
import type { LeaseOwner } from "../work/lease.ts";
import { createLeaseStore } from "../work/lease-store.ts";
import { createRequestedWorkStore, type ListPosition } from "../work/requested-work-store.ts";
import { type Erasure, type ErasureRequest, nothingRemoved, type Removed } from "./erasure.ts";
import {
  ERASURE_PREFIX,
  erasureKey,
  OPEN_ATTRIBUTES,
  openErasures,
  parseErasure,
  type StoredErasure,
  toErasure,
} from "./erasure-item.ts";
import { lateItemOf } from "./late-store.ts";
import { type Checkpoint, newWork } from "./passes.ts";

/** A request to store. `requestedAt` in epoch ms. */
export type NewErasure = {
  id: string;
  requestedAt: number;
  requestedBy: string;
  request: ErasureRequest;
  origin: RequestOrigin;
};

export type ErasureStore = ReturnType<typeof createErasureStore>;

/**
 * The erasures of each organization, for requests and lists. Items: erasure-item.ts. All calls throw DomainError
 * `store_unavailable`.
 */
export const createErasureStore = (table: Table<"erasures">) => {
  const work = createRequestedWorkStore(table, {
    prefix: ERASURE_PREFIX,
    keyOf: erasureKey,
    open: openErasures,
    parse: parseErasure,
  });

  return {
    /** `listOpen`: those that are not completed. */
    ...work,

    /** Stores a request with its rule for late events, unless the id exists: six write units. */
    async create(organizationId: string, { request, ...erasure }: NewErasure): Promise<void> {
      const { id, requestedAt, requestedBy, origin } = erasure;
      const { scope: what, userId, reason } = request;
      const item = {
        ...erasureKey(organizationId, id),
        what,
        userId,
        reason,
        requestedAt,
        requestedBy,
        origin,
        status: "requested",
        removed: nothingRemoved,
        work: newWork,
        openShard: openErasures.shardOf(organizationKey(organizationId)),
      };
      const failed = await transactOnce(table, [
        putPart(table, item, { condition: "attribute_not_exists(#key)" }),
        putPart(table, lateItemOf(organizationId, { id, what, userId, requestedAt })),
      ]);
      // A concurrent request with the same Idempotency-Key may have stored the erasure, or may be about to.
      if (failed?.size === 0 || (await work.find(organizationId, id)) !== undefined) return;
      throw new DomainError("store_unavailable", "The request was not stored. Try again.");
    },

    /** A page of an organization's erasures, the latest request first, read strongly consistent: a read unit per 4 KB. */
    async list(
      organizationId: string,
      page: { limit: number; after: ListPosition | undefined },
    ): Promise<{ items: Erasure[]; next: ListPosition | undefined }> {
      const { items, next } = await work.list(organizationId, page);
      return { items: items.map(toErasure), next };
    },
  };
};

export type ErasureLeaseStore = ReturnType<typeof createErasureLeaseStore>;

/**
 * The leases of erasures, for workers (shared/work/lease.ts). Times are epoch ms. Each call costs a write unit per KB. All
 * throw DomainError `store_unavailable`; all but `take` and `release` throw LeaseLostError.
 */
export const createErasureLeaseStore = (table: Table<"erasures">) => {
  const leases = createLeaseStore(table);
  return {
    /** @returns undefined if another worker holds the lease, or the erasure is completed. */
    async take(
      organizationId: string,
      erasureId: string,
      owner: LeaseOwner,
      now: number,
    ): Promise<StoredErasure | undefined> {
      const also = { set: { status: "running" }, condition: "attribute_exists(#openShard)" };
      const item = await leases.take(erasureKey(organizationId, erasureId), owner, now, also);
      return item && parseErasure(item);
    },

    renew: (organizationId: string, erasureId: string, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(erasureKey(organizationId, erasureId), owner, now),

    checkpoint: (
      organizationId: string,
      { id, work, removed }: Checkpoint & { id: string },
      owner: LeaseOwner,
      now: number,
    ): Promise<void> => leases.renew(erasureKey(organizationId, id), owner, now, { set: { work, removed } }),

    release: (organizationId: string, erasureId: string, owner: LeaseOwner): Promise<void> =>
      leases.release(erasureKey(organizationId, erasureId), owner),

    /** Completes the erasure, and removes the user's id. */
    complete: (
      organizationId: string,
      { id, removed, completedAt }: { id: string; removed: Removed; completedAt: number },
      owner: LeaseOwner,
    ): Promise<void> => {
      const set = { status: "completed", completedAt, removed };
      return leases.write(erasureKey(organizationId, id), owner, { set, remove: OPEN_ATTRIBUTES });
    },
  };
};
