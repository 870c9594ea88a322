/**
 * Exports. Their files contain what an erasure removes, so it deletes all files from before its end, and ends the exports
 * that are not complete. An export that begins later reads only what is left. docs/erasure.md, "Exports".
 */
import { type EraseExportsStore, quietAtOf } from "../exports/erase-exports-store.ts";
import type { ExportEvents } from "../exports/export-events.ts";
import { EXPORT_PREFIX, exportIdOf, parseExport, type StoredExport, WORK_ATTRIBUTES } from "../exports/export-item.ts";
import { definedFields } from "../json/defined-fields.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { timeOfEventId } from "../security/event-id.ts";
import { createUserMatcher } from "../terms/mentions-user.ts";
import type { DataLocation, Decision, Partition } from "./location.ts";

export type ExportDependencies = { exports: EraseExportsStore; exportEvents: Pick<ExportEvents, "requested"> };

const DELETED_AT_ONCE = 8;

/** Replaces an erased requester. */
const NO_REQUESTER = "";

/** A worker may write the export's files, now or later. */
const isOpen = ({ status }: StoredExport): boolean => status === "requested" || status === "running";

/** An erasure has ended it and not yet deleted what its worker wrote. */
const isInterrupted = ({ status, leaseUntil, work }: StoredExport): boolean =>
  status === "failed" && (leaseUntil !== undefined || work !== undefined);

const readExports = async (partition: Partition, after: string | undefined) => {
  const { items, next } = await partition.read(after, { prefix: EXPORT_PREFIX });
  return { stored: items.map(parseExport), next };
};

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
  let after: string | undefined;
  do {
    const { stored, next } = await readExports(partition, after);
    for (const one of stored) {
      const hasBegun = one.status === "running" || one.takes !== undefined;
      const mustEnd = isOpen(one) && (hasBegun || isChosen(one));
      const ended = mustEnd ? await exports.end(organizationId, one.id) : one;
      if (ended !== undefined && isInterrupted(ended)) quietAt = Math.max(quietAt, quietAtOf(ended));
    }
    after = next;
  } while (after !== undefined);
  return quietAt;
};

/** @param decide undefined keeps an export as it is; its files go in any other case. */
const exportsLocation = (
  { exports, exportEvents }: ExportDependencies,
  organizationId: string,
  partition: Partition,
  decide: (stored: StoredExport) => Decision,
): DataLocation => ({
  ...{ name: "exports", counter: "other" },
  createdAt: (key) => timeOfEventId(exportIdOf(key)),
  read: async (after) => {
    const { stored, next } = await readExports(partition, after);
    const changes = stored.flatMap((one) => {
      const change = isOpen(one) ? undefined : decide(one);
      return change === undefined ? [] : [{ stored: one, key: EXPORT_PREFIX + one.id, change }];
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
  ...{ name: "exportObjects", counter: "other" },
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
        requestedBy: requestedBy === userId ? NO_REQUESTER : undefined,
        filter: named.length === 0 ? undefined : Object.fromEntries(rest),
      }),
    };
  };
  return [
    exportsLocation(dependencies, organizationId, partition, decide),
    leftObjects(dependencies, organizationId, partition),
  ];
};
