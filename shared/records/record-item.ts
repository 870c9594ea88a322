/** Records as the table keeps them, and from an item to what is answered. Keys: record-keys.ts. */
import * as z from "zod/mini";
import type { SeenAt } from "./observation.ts";
import { type RecordFields, type RecordType, recordFields, SyncedRecord } from "./record.ts";
import { indexKeysOf, itemKeyOf, parseSortKey, type RecordKey } from "./record-keys.ts";

/** A record, and what is needed to say whether an observation is newer than it. */
export type StoredRecord = RecordKey & {
  /** Epoch ms: when the provider created it, and when the record last changed here. */
  createdAt: number;
  updatedAt: number;
  /** What it is; none where it was deleted at the provider, which is for ever. */
  fields: RecordFields | undefined;
  /** The latest that it was seen to be so. */
  seenAt: SeenAt;
  /** Somebody asks the provider whether it is still so: who finds that it is says so by writing it. */
  isInQuestion: boolean;
  /** Changes with every write. */
  version: string;
};

/** What is shown of a record. A tombstone has `deleted` in place of `fields`. */
const ShownItem = z.object({
  key: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  fields: z.optional(z.record(z.string(), z.unknown())),
});

/** One item per record, tombstones too. `seenFrom` and `seenTo` are epoch seconds of the provider's clock. */
const RecordItem = z.extend(ShownItem, {
  seenFrom: z.number(),
  seenTo: z.number(),
  inQuestion: z.optional(z.boolean()),
  version: z.string(),
});

export const toItem = (organizationId: string, record: StoredRecord): Record<string, unknown> => {
  const { createdAt, updatedAt, fields, seenAt, isInQuestion, version } = record;
  const customerId = fields !== undefined && "customerId" in fields ? fields.customerId : null;
  return {
    ...itemKeyOf(organizationId, record),
    ...indexKeysOf(organizationId, record, customerId),
    createdAt,
    updatedAt,
    ...(fields === undefined ? { deleted: true } : { fields }),
    seenFrom: seenAt.from,
    seenTo: seenAt.to,
    ...(isInQuestion && { inQuestion: true }),
    version,
  };
};

export const fromItem = (item: unknown): StoredRecord => {
  const { key, fields, seenFrom, seenTo, inQuestion = false, ...own } = RecordItem.parse(item);
  const { type, id } = parseSortKey(key);
  return {
    ...own,
    type,
    id,
    fields: fields && recordFields[type].parse(fields),
    seenAt: { from: seenFrom, to: seenTo },
    isInQuestion: inQuestion,
  };
};

const nulls = (type: RecordType) =>
  Object.fromEntries(Object.keys(recordFields[type].shape).map((name) => [name, null]));

/** The record of an item, or of its entry in an index, as it is answered; of a deleted one the fields are null. */
export const toSyncedRecord = (item: unknown): SyncedRecord => {
  const { key, createdAt, updatedAt, fields } = ShownItem.parse(item);
  const { type, id } = parseSortKey(key);
  const deleted = fields === undefined;
  return SyncedRecord.parse({ ...(fields ?? nulls(type)), id, type, createdAt, updatedAt, deleted });
};

const ListedItem = z.object({ key: z.string(), createdAt: z.number(), deleted: z.optional(z.boolean()) });

/** The attributes that `fromListedItem` takes. */
export const LISTED_ATTRIBUTES = ["key", "createdAt", "deleted"] as const;

/** An id of a record, for counting. `createdAt` in epoch ms. */
export type ListedId = Pick<StoredRecord, "id" | "createdAt"> & { deleted: boolean };

export const fromListedItem = (item: unknown): ListedId => {
  const { key, createdAt, deleted = false } = ListedItem.parse(item);
  return { id: parseSortKey(key).id, createdAt, deleted };
};
