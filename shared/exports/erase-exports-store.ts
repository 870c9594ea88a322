/** What an erasure does to exports: their files contain data that it removes. docs/erasure.md, "Exports". */
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { ObjectStore } from "../runtime/object-store.ts";
import { createLeaseStore } from "../work/lease-store.ts";
import { exportKey, parseExport, type StoredExport } from "./export-item.ts";
import { freePlace } from "./export-lease-store.ts";
import { deleteObjects, prefixOfExport, prefixOfOrganization } from "./write-file.ts";

/** How long an object may take to be written (runtime/object-store.ts). A worker may begin that within its lease. */
const WRITE_MS = 30_000;

/** When the worker of an export that an erasure has ended can write no more, epoch ms. */
export const quietAtOf = ({ leaseUntil = 0 }: StoredExport): number => leaseUntil + WRITE_MS;

export type EraseExportsStore = ReturnType<typeof createEraseExportsStore>;

/** All calls are idempotent and throw DomainError `store_unavailable`. */
export const createEraseExportsStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  objects: Pick<ObjectStore, "list" | "delete" | "abortUpload">,
) => {
  const jobs = createLeaseStore(client, tableName);

  return {
    /**
     * Ends an export that is not complete. Its worker loses the lease, and no other one takes it. `leaseUntil` and `work`
     * stay until the files are deleted. Two write units.
     * @returns the ended export; undefined if it was complete, or had failed.
     */
    async end(organizationId: string, exportId: string): Promise<StoredExport | undefined> {
      await freePlace(client, tableName, organizationId, exportId);
      const after = await jobs.update(exportKey(organizationId, exportId), {
        set: { status: "failed", error: "erased" },
        remove: ["openShard", "leaseOwner"],
        condition: "#status IN (:requested, :running)",
        values: { requested: "requested", running: "running" },
      });
      return after && parseExport(after);
    },

    /** Deletes the files of an export, and the upload that its last checkpoint names. Others end after a day. */
    async deleteFiles(organizationId: string, { id, work }: Pick<StoredExport, "id" | "work">): Promise<void> {
      if (work?.file !== undefined) await objects.abortUpload(work.file.key, work.file.uploadId);
      await deleteObjects(objects, prefixOfExport(organizationId, id));
    },

    /** A page of the keys of an organization's objects, ascending, with the id of each one's export. */
    async listObjects(
      organizationId: string,
      after: string | undefined,
    ): Promise<{ objects: { key: string; exportId: string }[]; isLast: boolean }> {
      const prefix = prefixOfOrganization(organizationId);
      const { objects: found, isLast } = await objects.list(prefix, after);
      return {
        objects: found.map(({ key }) => ({ key, exportId: key.slice(prefix.length).split("/", 1)[0] ?? "" })),
        isLast,
      };
    },

    deleteObjects: (keys: readonly string[]): Promise<void> => objects.delete(keys),
  };
};
