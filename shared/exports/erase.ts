/**
 * What an erasure does to exports. Their files contain what it removes, so it deletes all files from before its end, and
 * ends the exports that are not complete. An export that begins later reads only what is left. docs/erasure.md, "Exports".
 */
import { definedFields } from "../json/defined-fields.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import type { ObjectStore } from "../runtime/object-store.ts";
import type { Table } from "../runtime/table.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { createUserMatcher } from "../terms/mentions-user.ts";
import { createLeaseStore } from "../work/lease-store.ts";
import { type DataLocation, type Decision, NO_AUTHOR, type Partition, pagesOf } from "../work/location.ts";
import type { ExportEvents } from "./export-events.ts";
import {
  EXPORT_PREFIX,
  exportIdOf,
  exportKey,
  parseExport,
  type StoredExport,
  WORK_ATTRIBUTES,
} from "./export-item.ts";
import { freePlace } from "./export-lease-store.ts";
import { deleteObjects, prefixOfExport, prefixOfOrganization } from "./write-file.ts";

/** How long an object may take to be written (runtime/object-store.ts). A worker may begin that within its lease. */
const WRITE_MS = 30_000;

/** When the worker of an export that an erasure has ended can write no more, epoch ms. */
const quietAtOf = ({ leaseUntil = 0 }: StoredExport): number => leaseUntil + WRITE_MS;

export type EraseExportsStore = ReturnType<typeof createEraseExportsStore>;

/** All calls are idempotent and throw DomainError `store_unavailable`. */
export const createEraseExportsStore = (
  table: Table<"exports">,
  objects: Pick<ObjectStore, "list" | "delete" | "abortUpload">,
) => {
  const jobs = createLeaseStore(table);

  return {
    /**
     * Ends an export that is not complete. Its worker loses the lease, and no other one takes it. `leaseUntil` and `work`
     * stay until the files are deleted. Two write units.
     * @returns the ended export; undefined if it was complete, or had failed.
     */
    async end(organizationId: string, exportId: string): Promise<StoredExport | undefined> {
      await freePlace(table, organizationId, exportId);
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

export type ExportDependencies = { exports: EraseExportsStore; exportEvents: Pick<ExportEvents, "requested"> };

const DELETED_AT_ONCE = 8;

/** A worker may write the export's files, now or later. */
const isOpen = ({ status }: StoredExport): boolean => status === "requested" || status === "running";

/** An erasure has ended it and not yet deleted what its worker wrote. */
const isInterrupted = ({ status, leaseUntil, work }: StoredExport): boolean =>
  status === "failed" && (leaseUntil !== undefined || work !== undefined);

/**
 * Ends the exports of an organization that may contain what is erased: those that have begun, and those chosen.
 * @returns when their workers can write no more, epoch ms.
 */
export const endExports = async (
  { exports }: Pick<ExportDependencies, "exports">,
  organizationId: string,
  partition: Partition,
  isChosen: (stored: StoredExport) => boolean,
): Promise<number> => {
  let quietAt = 0;
  for await (const items of pagesOf(partition, { prefix: EXPORT_PREFIX })) {
    for (const one of items.map(parseExport)) {
      const hasBegun = one.status === "running" || one.takes !== undefined;
      const mustEnd = isOpen(one) && (hasBegun || isChosen(one));
      const ended = mustEnd ? await exports.end(organizationId, one.id) : one;
      if (ended !== undefined && isInterrupted(ended)) quietAt = Math.max(quietAt, quietAtOf(ended));
    }
  }
  return quietAt;
};

/** @param decide undefined keeps an export as it is; its files go in any other case. */
const exportsLocation = (
  { exports, exportEvents }: ExportDependencies,
  organizationId: string,
  partition: Partition,
  decide: (stored: StoredExport) => Decision,
): DataLocation => ({
  name: "exports",
  counter: "other",
  createdAt: (key) => timeOfEventId(exportIdOf(key)),
  read: async (after) => {
    const { items, next } = await partition.read(after, { prefix: EXPORT_PREFIX });
    const changes = items.map(parseExport).flatMap((stored) => {
      const change = isOpen(stored) ? undefined : decide(stored);
      return change === undefined ? [] : [{ stored, key: EXPORT_PREFIX + stored.id, change }];
    });
    return {
      keys: changes.map(({ key }) => key),
      next,
      erase: async () => {
        await inParallel(changes, DELETED_AT_ONCE, async ({ stored: one }) => {
          // Audits expect the event. The sweep of the events, in this pass or the next, removes the person from it.
          if (one.origin !== undefined) await exportEvents.requested(organizationId, one, one.origin);
          await exports.deleteFiles(organizationId, one);
        });
        await partition.apply(changes);
      },
    };
  },
});

/** Objects without an export, such as one that a worker wrote after it had lost its lease. */
const leftObjects = ({ exports }: ExportDependencies, organizationId: string, partition: Partition): DataLocation => ({
  name: "exportObjects",
  counter: "other",
  read: async (after) => {
    const { objects, isLast } = await exports.listObjects(organizationId, after);
    const kept = new Set<string>();
    for (const id of new Set(objects.map(({ exportId }) => exportId))) {
      const { items } = await partition.read(undefined, { prefix: EXPORT_PREFIX + id });
      if (items.map(parseExport).some((one) => isOpen(one) || one.status === "completed")) kept.add(id);
    }
    const keys = objects.filter(({ exportId }) => !kept.has(exportId)).map(({ key }) => key);
    return { keys, next: isLast ? undefined : objects.at(-1)?.key, erase: () => exports.deleteObjects(keys) };
  },
});

export const allExports = (
  dependencies: ExportDependencies,
  organizationId: string,
  partition: Partition,
): DataLocation[] => [
  exportsLocation(dependencies, organizationId, partition, () => "delete"),
  leftObjects(dependencies, organizationId, partition),
];

/** Whether a user requested the export, or is in its filter. */
export const namesUser = ({ requestedBy, filter }: StoredExport, userId: string): boolean =>
  requestedBy === userId || createUserMatcher([userId]).mentions([filter?.userId, filter?.eventType]);

/** @param identifiers the user's id and the addresses known at that time. */
export const exportsOfUser = (
  dependencies: ExportDependencies,
  organizationId: string,
  partition: Partition,
  { userId, identifiers }: { userId: string; identifiers: () => readonly string[] },
): DataLocation[] => {
  const decide = (stored: StoredExport): Decision => {
    const { status, requestedBy, filter } = stored;
    const { mentions } = createUserMatcher(identifiers());
    const named = (["userId", "ipAddress", "eventType"] as const).filter((name) => mentions(filter?.[name]));
    const hasFiles = status === "completed" || isInterrupted(stored);
    if (!hasFiles && named.length === 0 && requestedBy !== userId) return undefined;
    const rest = Object.entries(filter ?? {}).filter(([name]) => !named.some((one) => one === name));
    return {
      remove: [...WORK_ATTRIBUTES, "openShard"],
      set: definedFields({
        status: status === "completed" ? "deleted" : undefined,
        requestedBy: requestedBy === userId ? NO_AUTHOR : undefined,
        filter: named.length === 0 ? undefined : Object.fromEntries(rest),
      }),
    };
  };
  return [
    exportsLocation(dependencies, organizationId, partition, decide),
    leftObjects(dependencies, organizationId, partition),
  ];
};
