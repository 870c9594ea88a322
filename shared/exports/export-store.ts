import { DomainError } from "../runtime/domain-error.ts";
import type { Table } from "../runtime/table.ts";
import { putPart, transact, updatePart } from "../runtime/table-transaction.ts";
import { organizationKey } from "../terms/keys.ts";
import type { RequestOrigin } from "../terms/requester.ts";
import { createRequestedWorkStore, type ListPosition } from "../work/requested-work-store.ts";
import {
  EXPORT_KEPT_MS,
  type Export,
  type ExportFilter,
  type ExportFormat,
  type ExportKind,
  MAX_RUNNING,
} from "./export.ts";
import {
  EXPORT_PREFIX,
  exportKey,
  openExports,
  parseExport,
  runningKey,
  type StoredExport,
  toExport,
} from "./export-item.ts";

/** A request to store. `requestedAt` in epoch ms. */
export type NewExport = {
  id: string;
  kind: ExportKind;
  format?: ExportFormat;
  filter?: ExportFilter;
  proof?: boolean;
  requestedAt: number;
  requestedBy: string;
  origin: RequestOrigin;
};

const isExpired = ({ ttl }: StoredExport, now: number): boolean => ttl * 1_000 <= now;

export type ExportStore = ReturnType<typeof createExportStore>;

/**
 * The exports of each organization, for requests and lists. Items: export-item.ts. All calls throw DomainError
 * `store_unavailable`.
 */
export const createExportStore = (table: Table<"exports">) => {
  const work = createRequestedWorkStore(table, {
    prefix: EXPORT_PREFIX,
    keyOf: exportKey,
    open: openExports,
    parse: parseExport,
  });

  return {
    /** `find` reads expired exports too; `listOpen` those with work or files. */
    ...work,

    /**
     * Stores a request, unless the id exists: six write units. The organization's set of running exports is changed in the
     * same transaction, so requests at the same time cannot exceed the limit.
     * @throws DomainError `too_many_exports`.
     */
    async create(organizationId: string, { id, requestedAt, ...fields }: NewExport): Promise<void> {
      const item = {
        ...exportKey(organizationId, id),
        requestedAt,
        ...fields,
        status: "requested",
        files: [],
        openShard: openExports.shardOf(organizationKey(organizationId)),
        ttl: Math.floor((requestedAt + EXPORT_KEPT_MS) / 1_000),
      };
      const failed = await transact(table, [
        putPart(table, item, { condition: "attribute_not_exists(#key)" }),
        updatePart(table, runningKey(organizationId), {
          add: { ids: new Set([id]) },
          condition: "attribute_not_exists(#ids) OR size(#ids) < :max",
          values: { max: MAX_RUNNING },
        }),
      ]);
      // An earlier attempt of the same request has stored the export.
      if (failed.size === 0 || failed.has(0)) return;
      throw new DomainError(
        "too_many_exports",
        `${MAX_RUNNING} exports of the organization are not complete yet. Try again when one has ended.`,
      );
    },

    /**
     * A page of an organization's exports, the latest request first, read strongly consistent: a read unit per 4 KB.
     * @param page.now epoch ms; exports that have expired by then are left out.
     */
    async list(
      organizationId: string,
      { limit, after, now }: { limit: number; after: ListPosition | undefined; now: number },
    ): Promise<{ items: Export[]; next: ListPosition | undefined }> {
      const { items, next } = await work.list(organizationId, { limit, after });
      return { items: items.filter((one) => !isExpired(one, now)).map((one) => toExport(one, now)), next };
    },

    /**
     * An organization's export; a read unit per 4 KB.
     * @throws DomainError `export_not_found` if it is unknown or expired.
     */
    async get(organizationId: string, exportId: string, now: number): Promise<StoredExport> {
      const stored = await work.find(organizationId, exportId);
      if (stored === undefined || isExpired(stored, now)) {
        throw new DomainError("export_not_found", "There is no such export.");
      }
      return stored;
    },
  };
};
