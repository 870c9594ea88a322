import { encodeJson } from "../json/encode-json.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { type Table, updateItem } from "../runtime/table.ts";
import { putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import type { LeaseOwner } from "../work/lease.ts";
import { createLeaseStore } from "../work/lease-store.ts";
import { createRequestedWorkStore } from "../work/requested-work-store.ts";
import type { PreviewErrorCode, PreviewResult } from "./preview.ts";
import {
  expiresAtOf,
  openPreviews,
  PREVIEW_PREFIX,
  type PreviewWork,
  parsePreview,
  previewKey,
  runningKey,
  type StoredPreview,
  WORK_ATTRIBUTES,
} from "./preview-item.ts";

/** A request to store. */
export type NewPreview = Omit<StoredPreview, "status" | "work" | "result" | "error" | "leaseUntil">;

export type PreviewEnd = { result: PreviewResult } | { error: PreviewErrorCode };

/** What a worker stores after some hours. */
export type PreviewCheckpoint = { id: string; work: PreviewWork };

export type PreviewStore = ReturnType<typeof createPreviewStore>;

/**
 * The previews of each organization, and their leases. Items: preview-item.ts. Times are epoch ms. All calls throw
 * DomainError `store_unavailable`; `renew`, `checkpoint` and `end` throw LeaseLostError.
 */
export const createPreviewStore = (table: Table<"previews">) => {
  const { find, listOpen } = createRequestedWorkStore(table, {
    prefix: PREVIEW_PREFIX,
    keyOf: previewKey,
    open: openPreviews,
    parse: parsePreview,
  });
  const leases = createLeaseStore(table);

  return {
    /** `find` reads a preview strongly, even if it has expired; `listOpen` lists those that have not ended. */
    find,
    listOpen,

    /** @throws DomainError `preview_not_found` if it is unknown or expired. */
    async get(organizationId: string, id: string, now: number): Promise<StoredPreview> {
      const stored = await find(organizationId, id);
      if (stored === undefined || expiresAtOf(stored) <= now) {
        throw new DomainError("preview_not_found", "There is no such preview.");
      }
      return stored;
    },

    /**
     * Stores a request, unless the id exists: six write units, and two per KB. The organization's place is taken in the
     * same transaction, so of requests at the same time one is stored.
     * @throws DomainError `preview_running`.
     */
    async create(organizationId: string, { id, change, ...fields }: NewPreview): Promise<void> {
      const ttl = Math.ceil(expiresAtOf(fields) / 1_000);
      const item = {
        ...previewKey(organizationId, id),
        ...fields,
        change: encodeJson(change),
        status: "queued",
        openShard: openPreviews.shardOf(organizationKey(organizationId)),
        ttl,
      };
      const failed = await transact(table, [
        putPart(table, item, { condition: "attribute_not_exists(#key)" }),
        updatePart(table, runningKey(organizationId), {
          set: { id, ttl },
          condition: "attribute_not_exists(#id)",
        }),
      ]);
      // An earlier attempt of the same request has stored the preview.
      if (failed.size === 0 || failed.has(0)) return;
      throw new DomainError(
        "preview_running",
        "A preview of the organization has not ended yet. Try again when it has.",
      );
    },

    /** @returns undefined if another worker holds the lease, or the preview has ended. */
    async take(organizationId: string, id: string, owner: LeaseOwner, now: number): Promise<StoredPreview | undefined> {
      const item = await leases.take(previewKey(organizationId, id), owner, now, {
        set: { status: "running" },
        condition: "attribute_exists(#openShard)",
      });
      return item && parsePreview(item);
    },

    renew: (organizationId: string, id: string, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(previewKey(organizationId, id), owner, now),

    checkpoint: (
      organizationId: string,
      { id, work }: PreviewCheckpoint,
      owner: LeaseOwner,
      now: number,
    ): Promise<void> => leases.renew(previewKey(organizationId, id), owner, now, { set: { work } }),

    release: (organizationId: string, id: string, owner: LeaseOwner): Promise<void> =>
      leases.release(previewKey(organizationId, id), owner),

    /**
     * Ends a preview. Its place is freed first: a crash in between leaves a preview that ends again, and never a place that
     * is taken for ever.
     */
    async end(organizationId: string, id: string, end: PreviewEnd, owner: LeaseOwner): Promise<void> {
      await updateItem(table, runningKey(organizationId), {
        remove: ["id"],
        condition: "#id = :id",
        values: { id },
      });
      const set =
        "error" in end
          ? { status: "failed", error: end.error }
          : { status: "succeeded", result: encodeJson(end.result) };
      await leases.write(previewKey(organizationId, id), owner, { set, remove: [...WORK_ATTRIBUTES] });
    },
  };
};
