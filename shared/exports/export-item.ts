/**
 * The stored items of exports. Table Exports: partition key `scope` (the organization's), sort key `key`:
 *
 * - `export#<id>` an export, `ttl` 30 days after the request: the fields of export.ts. Until its security event is
 *   recorded, also `origin`; until it ends, `work` and the attributes of the lease (shared/work/lease.ts); until its files
 *   are deleted, `openShard`, the partition key of the sparse index byOpen.
 * - `running` the ids of the exports that are not complete, as the set `ids`.
 */
import * as z from "zod/mini";
import { definedFields } from "../json/defined-fields.ts";
import { organizationKey } from "../terms/keys.ts";
import { RequestOrigin } from "../terms/requester.ts";
import { OPEN_EXPORTS } from "../terms/tables.ts";
import { LEASE_ATTRIBUTES } from "../work/lease.ts";
import { defineShardedIndex } from "../work/sharded-index.ts";
import {
  type Export,
  ExportedFile,
  ExportFilter,
  exportErrors,
  exportFormats,
  exportKinds,
  exportStatuses,
  FILES_KEPT_MS,
} from "./export.ts";

export const EXPORT_PREFIX = "export#";

export const exportKey = (organizationId: string, exportId: string) => ({
  scope: organizationKey(organizationId),
  key: EXPORT_PREFIX + exportId,
});

export const runningKey = (organizationId: string) => ({ scope: organizationKey(organizationId), key: "running" });

export const exportIdOf = (key: string): string => key.slice(EXPORT_PREFIX.length);

export const openExports = defineShardedIndex(OPEN_EXPORTS, { count: 8, prefix: "open#" });

/** A complete file with its key in the bucket. */
const StoredFile = z.extend(ExportedFile, { key: z.string() });
export type StoredFile = z.output<typeof StoredFile>;

/** The file that is being written, as of the last checkpoint. */
export const FileWork = z.object({
  key: z.string(),
  uploadId: z.string(),
  /** The uploaded parts, in their order. */
  parts: z.array(z.object({ number: z.number(), etag: z.string() })),
  /** The position in the source after the last part; undefined before the first part. */
  after: z.optional(z.string()),
  /** Whether the parts are the whole file. */
  isRead: z.boolean(),
  count: z.number(),
  bytes: z.number(),
});
export type FileWork = z.output<typeof FileWork>;

/**
 * The progress of an export, as it is stored. `file` is absent between files. Complete files: `files` of the item. `size`:
 * of the log that an export with proof proves, once it is fixed.
 */
export const ExportWork = z.object({
  file: z.optional(FileWork),
  completedAt: z.optional(z.number()),
  size: z.optional(z.number()),
});
export type ExportWork = z.output<typeof ExportWork>;

const Item = z.object({
  key: z.string(),
  kind: z.enum(exportKinds),
  format: z.optional(z.enum(exportFormats)),
  filter: z.optional(ExportFilter),
  proof: z.optional(z.boolean()),
  status: z.enum(exportStatuses),
  requestedAt: z.number(),
  requestedBy: z.string(),
  completedAt: z.optional(z.number()),
  files: z.array(StoredFile),
  error: z.optional(z.enum(Object.keys(exportErrors) as (keyof typeof exportErrors)[])),
  origin: z.optional(RequestOrigin),
  work: z.optional(ExportWork),
  leaseUntil: z.optional(z.number()),
  takes: z.optional(z.number()),
  ttl: z.number(),
});

/** A stored export. `takes`: how often a worker has taken it, while it has one. */
export type StoredExport = Omit<z.output<typeof Item>, "key"> & { id: string };

/** The attributes that are removed when an export has no more work. */
export const WORK_ATTRIBUTES = ["origin", "work", ...LEASE_ATTRIBUTES] as const;

/** @throws ZodError if the item is not an export, which is a bug. */
export const parseExport = (item: unknown): StoredExport => {
  const { key, ...fields } = Item.parse(item);
  return { ...fields, id: exportIdOf(key) };
};

/** When the files of a completed export are deleted, epoch ms; undefined before. */
export const expiresAtOf = ({ completedAt }: Pick<StoredExport, "completedAt">): number | undefined =>
  completedAt === undefined ? undefined : completedAt + FILES_KEPT_MS;

const sumOf = (files: readonly { count: number; bytes: number }[]) => ({
  items: files.reduce((sum, { count }) => sum + count, 0),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** The export as clients see it, without links. @param now epoch ms. */
export const toExport = (stored: StoredExport, now: number): Export => {
  const { id, kind, format, filter, proof, requestedAt, requestedBy, completedAt, files, work, error } = stored;
  const expiresAt = expiresAtOf(stored);
  const isDeleted = expiresAt !== undefined && expiresAt <= now;
  return {
    id,
    kind,
    status: isDeleted ? "deleted" : stored.status,
    requestedAt,
    requestedBy,
    progress: sumOf([...files, ...(work?.file === undefined ? [] : [work.file])]),
    files: files.map((file) => ExportedFile.parse(file)),
    ...definedFields({ format, filter, proof, completedAt, expiresAt }),
    ...(error !== undefined && { error: { code: error, message: exportErrors[error] } }),
  };
};
