/**
 * Records as the table stores them: partition key `scope` (the organization's key), sort key `key` (`<type>#<id>`).
 * Index byCreated: partition key `listKey` (scope#type), sort key `createdKey` (`createdAt` in 15 digits, `#`, id).
 * Index byCustomer: partition key `customerKey` (listKey#customerId; of refunds and disputes listKey#paymentId), if there is
 * a customer or payment, sort key `createdKey`.
 * Indexes byName and byEmail: partition key `scope`, sort key `nameKey` or `emailKey`, which customers with a name or an
 * e-mail address have (search-key.ts).
 */
import * as z from "zod/mini";
import { MAX_SORT_KEY_BYTES, organizationKey, partKey } from "../terms/keys.ts";
import { RECORDS_BY_CREATION, RECORDS_BY_CUSTOMER } from "../terms/tables.ts";
import type { ObservedAt } from "./observation.ts";
import { type RecordFields, RecordType, recordFields } from "./record.ts";
import type { RecordPosition } from "./record-query.ts";
import { searchKeyOf } from "./search-key.ts";
import { SyncedRecord } from "./synced-record.ts";

/** Identifies a record within its organization. `id` is the provider's. */
export type RecordKey = { type: RecordType; id: string };

const SEPARATOR = "#";
const TIME_DIGITS = 15;

/** The prefix of the sort keys of all records of a type. */
export const typePrefix = (type: RecordType): string => type + SEPARATOR;

export const itemKeyOf = (organizationId: string, { type, id }: RecordKey) => ({
  scope: organizationKey(organizationId),
  key: typePrefix(type) + id,
});

/** The record that a sort key identifies. */
export const parseSortKey = (key: string): RecordKey => {
  const end = key.indexOf(SEPARATOR);
  return { type: RecordType.parse(key.slice(0, end)), id: key.slice(end + SEPARATOR.length) };
};

const listKeyOf = (organizationId: string, type: RecordType): string => partKey(organizationKey(organizationId), type);

const createdKeyOf = ({ createdAt, id }: RecordPosition): string =>
  String(createdAt).padStart(TIME_DIGITS, "0") + SEPARATOR + id;

const ownerKeyOf = (organizationId: string, type: RecordType, ownerId: string): string =>
  partKey(listKeyOf(organizationId, type), ownerId);

/** The customer or the payment that a record belongs to, if it has one. No type has both. */
const ownerOf = (fields: RecordFields | undefined): string | null => {
  if (fields === undefined) return null;
  if ("customerId" in fields) return fields.customerId;
  return "paymentId" in fields ? fields.paymentId : null;
};

/** Whether an id fits into the keys; a caller may send any. */
export const isStorable = ({ type, id }: RecordKey): boolean =>
  [createdKeyOf({ createdAt: 0, id }), typePrefix(type) + id].every(
    (key) => Buffer.byteLength(key) <= MAX_SORT_KEY_BYTES,
  );

/** A partition of an index that lists records by the time of their creation. */
export type ListPartition = { index: typeof RECORDS_BY_CREATION | typeof RECORDS_BY_CUSTOMER; keyValue: string };

/** The partition that lists the records of a type: all of them, or those of one customer or payment. */
export const listPartition = (organizationId: string, type: RecordType, ownerId: string | undefined): ListPartition =>
  ownerId === undefined
    ? { index: RECORDS_BY_CREATION, keyValue: listKeyOf(organizationId, type) }
    : { index: RECORDS_BY_CUSTOMER, keyValue: ownerKeyOf(organizationId, type, ownerId) };

/** The key after which a page of a list starts. */
export const startKeyOf = (
  organizationId: string,
  type: RecordType,
  { index, keyValue }: ListPartition,
  after: RecordPosition,
) => ({
  ...itemKeyOf(organizationId, { type, id: after.id }),
  createdKey: createdKeyOf(after),
  [index.partitionKey]: keyValue,
});

const CreatedKey = z.object({ createdKey: z.string() });

/** The position in a list of an item, or of an item's key. */
export const positionOf = (item: Readonly<Record<string, unknown>>): RecordPosition => {
  const { createdKey } = CreatedKey.parse(item);
  return { createdAt: Number(createdKey.slice(0, TIME_DIGITS)), id: createdKey.slice(TIME_DIGITS + SEPARATOR.length) };
};

/** A record with the fields that decide whether an observation is newer. */
export type StoredRecord = RecordKey & {
  /** Epoch ms: when the provider created it, and when the record last changed here. */
  createdAt: number;
  updatedAt: number;
  /** Undefined if the object was deleted at the provider, which is final. */
  fields: RecordFields | undefined;
  /** When the object was last observed in this state. */
  observedAt: ObservedAt;
  /** A worker is reading the object at the provider. Others that find the record unchanged must write it (apply.ts). */
  isInQuestion: boolean;
  /** A customer whose item an earlier version wrote: it is in no index for searches until it is written again. */
  lacksSearchKeys?: true;
  /** Changes with every write. */
  version: string;
};

/** The attributes that answers need. A tombstone has `deleted` in place of `fields`. */
const ShownItem = z.object({
  key: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  fields: z.optional(z.record(z.string(), z.unknown())),
});

/** One item per record, tombstones too. `seenFrom` and `seenTo` are `observedAt`. */
const RecordItem = z.extend(ShownItem, {
  seenFrom: z.number(),
  seenTo: z.number(),
  inQuestion: z.optional(z.boolean()),
  nameKey: z.optional(z.string()),
  emailKey: z.optional(z.string()),
  version: z.string(),
});

const searchKeysOf = (fields: RecordFields | undefined) =>
  fields !== undefined && "email" in fields
    ? { nameKey: searchKeyOf(fields.name), emailKey: searchKeyOf(fields.email) }
    : { nameKey: undefined, emailKey: undefined };

export const toItem = (organizationId: string, record: StoredRecord) => {
  const { createdAt, updatedAt, fields, observedAt, isInQuestion, version } = record;
  const ownerId = ownerOf(fields);
  return {
    ...itemKeyOf(organizationId, record),
    listKey: listKeyOf(organizationId, record.type),
    createdKey: createdKeyOf(record),
    customerKey: ownerId === null ? undefined : ownerKeyOf(organizationId, record.type, ownerId),
    ...searchKeysOf(record.lacksSearchKeys ? undefined : fields),
    createdAt,
    updatedAt,
    ...(fields === undefined ? { deleted: true } : { fields }),
    seenFrom: observedAt.from,
    seenTo: observedAt.to,
    ...(isInQuestion && { inQuestion: true }),
    version,
  };
};

export const fromItem = (item: unknown): StoredRecord => {
  const stored = RecordItem.parse(item);
  const { key, seenFrom, seenTo, inQuestion = false, nameKey, emailKey, ...own } = stored;
  const { type, id } = parseSortKey(key);
  const fields = stored.fields && recordFields[type].parse(stored.fields);
  const expected = searchKeysOf(fields);
  return {
    ...own,
    type,
    id,
    fields,
    ...((nameKey !== expected.nameKey || emailKey !== expected.emailKey) && { lacksSearchKeys: true as const }),
    observedAt: { from: seenFrom, to: seenTo },
    isInQuestion: inQuestion,
  };
};

const nulls = (type: RecordType) =>
  Object.fromEntries(Object.keys(recordFields[type].shape).map((name) => [name, null]));

/** The record of an item, or of its entry in an index, as answers have it. If it is deleted, its fields are null. */
export const toSyncedRecord = (item: unknown): SyncedRecord => {
  const { key, createdAt, updatedAt, fields } = ShownItem.parse(item);
  const { type, id } = parseSortKey(key);
  const deleted = fields === undefined;
  return SyncedRecord.parse({ ...(fields ?? nulls(type)), id, type, createdAt, updatedAt, deleted });
};

const ListedItem = z.object({ key: z.string(), createdAt: z.number(), deleted: z.optional(z.boolean()) });

/** The attributes that `fromListedItem` takes. */
export const LISTED_ATTRIBUTES = ["key", "createdAt", "deleted"] as const;

/** A record's id, for comparing both sides. `createdAt` in epoch ms. */
export type ListedId = Pick<StoredRecord, "id" | "createdAt"> & { deleted: boolean };

export const fromListedItem = (item: unknown): ListedId => {
  const { key, createdAt, deleted = false } = ListedItem.parse(item);
  return { id: parseSortKey(key).id, createdAt, deleted };
};
