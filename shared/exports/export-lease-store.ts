import { type Table, updateItem } from "../runtime/table.ts";
import type { LeaseOwner } from "../work/lease.ts";
import { createLeaseStore, type JobUpdate } from "../work/lease-store.ts";
import { type ExportErrorCode, FILES_KEPT_MS } from "./export.ts";
import {
  type ExportWork,
  exportKey,
  parseExport,
  runningKey,
  type StoredExport,
  type StoredFile,
  WORK_ATTRIBUTES,
} from "./export-item.ts";

/** Takes an export out of the set of running ones. Idempotent; one write unit. @throws DomainError `store_unavailable`. */
export const freePlace = async (table: Table<"exports">, organizationId: string, exportId: string): Promise<void> => {
  const isRunning = { condition: "contains(#ids, :id)", values: { id: exportId } };
  await updateItem(table, runningKey(organizationId), { removeFrom: { ids: new Set([exportId]) }, ...isRunning });
};

/** What a worker stores after each step. */
export type ExportCheckpoint = { id: string; work: ExportWork; files: readonly StoredFile[] };

export type ExportEnd =
  | { status: "completed"; files: readonly StoredFile[]; completedAt: number }
  | { status: "failed"; error: ExportErrorCode };

export type ExportLeaseStore = ReturnType<typeof createExportLeaseStore>;

/**
 * The leases of exports, for workers (shared/work/lease.ts). Times are epoch ms. Each call costs a write unit per KB. All
 * throw DomainError `store_unavailable`; all but `take` and `release` throw LeaseLostError.
 */
export const createExportLeaseStore = (table: Table<"exports">) => {
  const leases = createLeaseStore(table);

  const write = (organizationId: string, exportId: string, owner: LeaseOwner, also: JobUpdate) =>
    leases.write(exportKey(organizationId, exportId), owner, also);

  return {
    /** @returns undefined if another worker holds the lease, or the export has no work and no files to delete. */
    async take(
      organizationId: string,
      exportId: string,
      owner: LeaseOwner,
      now: number,
    ): Promise<StoredExport | undefined> {
      const also = {
        condition: "attribute_exists(#openShard) AND (attribute_not_exists(#completedAt) OR #completedAt <= :expired)",
        values: { expired: now - FILES_KEPT_MS },
      };
      const item = await leases.take(exportKey(organizationId, exportId), owner, now, also);
      return item && parseExport(item);
    },

    renew: (organizationId: string, exportId: string, owner: LeaseOwner, now: number): Promise<void> =>
      leases.renew(exportKey(organizationId, exportId), owner, now),

    checkpoint: (
      organizationId: string,
      { id, work, files }: ExportCheckpoint,
      owner: LeaseOwner,
      now: number,
    ): Promise<void> =>
      leases.renew(exportKey(organizationId, id), owner, now, { set: { status: "running", work, files } }),

    release: (organizationId: string, exportId: string, owner: LeaseOwner): Promise<void> =>
      leases.release(exportKey(organizationId, exportId), owner),

    /**
     * Ends the export. Its place is freed first: a crash in between leaves an export that ends again, and never a place
     * that is taken for ever.
     */
    async end(organizationId: string, exportId: string, end: ExportEnd, owner: LeaseOwner): Promise<void> {
      await freePlace(table, organizationId, exportId);
      // A failed export has no files that must be deleted later.
      const remove = end.status === "failed" ? [...WORK_ATTRIBUTES, "openShard"] : WORK_ATTRIBUTES;
      await write(organizationId, exportId, owner, { set: end, remove });
    },

    /** Marks the files of a completed export as deleted. */
    forgetFiles: (organizationId: string, exportId: string, owner: LeaseOwner): Promise<void> =>
      write(organizationId, exportId, owner, {
        set: { status: "deleted" },
        remove: [...WORK_ATTRIBUTES, "openShard"],
      }),
  };
};
