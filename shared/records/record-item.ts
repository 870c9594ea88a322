/** Records as the table keeps them: keys, items, and from an item to what is answered. */
import * as z from "zod/mini";
import type { SeenAt } from "../provider/provider.ts";
import { organizationKey, partKey } from "../security/keys.ts";
import { type RecordFields, RecordType, recordFields, SyncedRecord } from "./record.ts";
import type { RecordPosition } from "./record-query.ts";

/** A record, and what is needed to say whether an observation is newer than it. */
export type StoredRecord = {
  type: RecordType;
  /** The provider's id. */
  id: string;
  /** Epoch ms: when the provider created it, and when the record last changed here. */
  createdAt: number;
  updatedAt: number;
  /** What it is; none where it was deleted at the provider, which is for ever. */
  fields: RecordFields | undefined;
  /** The latest that it was seen to be so. */
  seenAt: SeenAt;
  /** Changes with every write. */
  version: string;
};

/** Names a record within its organization. */
export type RecordKey = Pick<StoredRecord, "type" | "id">;

/**
 * One item per record, tombstones too: partition key `scope` (the organization's key), sort key `key` (`<type>#<id>`).
 * Index byCreated: partition key `listKey` (scope#type), sort key `createdKey` (`createdAt` in 15 digits, `#`, id).
 * Index byCustomer: partition key `customerKey` (listKey#customerId), where there is one, sort key `createdKey`.
 * `seenFrom` and `seenTo` are epoch seconds of the provider's clock. A tombstone has `deleted` in place of `fields`.
 */
const RecordItem = z.object({
  key: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  fields: z.optional(z.unknown()),
  seenFrom: z.number(),
  seenTo: z.number(),
  version: z.string(),
});

const SEPARATOR = "#";
const TIME_DIGITS = 15;

/** What DynamoDB takes as a key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_SORT_KEY_BYTES = 1_024;
const MAX_PARTITION_KEY_BYTES = 2_048;

const sortKeyOf = ({ type, id }: RecordKey): string => type + SEPARATOR + id;

const listKeyOf = (organizationId: string, type: RecordType): string => partKey(organizationKey(organizationId), type);

const createdKeyOf = ({ createdAt, id }: RecordPosition): string =>
  String(createdAt).padStart(TIME_DIGITS, "0") + SEPARATOR + id;

/** undefined where no key can hold it; the provider's ids are far shorter. */
const customerKeyOf = (organizationId: string, type: RecordType, customerId: string): string | undefined => {
  const key = partKey(listKeyOf(organizationId, type), customerId);
  return Buffer.byteLength(key) <= MAX_PARTITION_KEY_BYTES ? key : undefined;
};

/** Whether a record can have the id; a caller may ask for any. */
export const isStorable = ({ type, id }: RecordKey): boolean =>
  Buffer.byteLength(createdKeyOf({ createdAt: 0, id })) <= MAX_SORT_KEY_BYTES &&
  Buffer.byteLength(sortKeyOf({ type, id })) <= MAX_SORT_KEY_BYTES;

export const itemKeyOf = (organizationId: string, key: RecordKey) => ({
  scope: organizationKey(organizationId),
  key: sortKeyOf(key),
});

/** What the sort keys of all records of a type begin with. */
export const typePrefix = (type: RecordType): string => type + SEPARATOR;

/** A partition of an index that lists records by the time of their creation. */
export type ListPartition = { index: "byCreated" | "byCustomer"; keyName: string; keyValue: string };

/** Where the records of a type are listed, of all customers or of one; undefined where there can be none. */
export const listPartition = (
  organizationId: string,
  type: RecordType,
  customerId: string | undefined,
): ListPartition | undefined => {
  if (customerId === undefined) {
    return { index: "byCreated", keyName: "listKey", keyValue: listKeyOf(organizationId, type) };
  }
  const keyValue = customerKeyOf(organizationId, type, customerId);
  return keyValue === undefined ? undefined : { index: "byCustomer", keyName: "customerKey", keyValue };
};

/** The key after which a page of a list starts. */
export const startKeyOf = (
  organizationId: string,
  type: RecordType,
  { keyName, keyValue }: ListPartition,
  after: RecordPosition,
) => ({ ...itemKeyOf(organizationId, { type, id: after.id }), createdKey: createdKeyOf(after), [keyName]: keyValue });

/** The place in a list of an item, or of the key of one. */
export const positionOf = (item: Readonly<Record<string, unknown>>): RecordPosition => {
  const { createdKey } = z.object({ createdKey: z.string() }).parse(item);
  return { createdAt: Number(createdKey.slice(0, TIME_DIGITS)), id: createdKey.slice(TIME_DIGITS + SEPARATOR.length) };
};

export const toItem = (organizationId: string, record: StoredRecord): Record<string, unknown> => {
  const { type, createdAt, updatedAt, fields, seenAt, version } = record;
  const customerId = fields !== undefined && "customerId" in fields ? fields.customerId : null;
  return {
    ...itemKeyOf(organizationId, record),
    listKey: listKeyOf(organizationId, type),
    createdKey: createdKeyOf(record),
    customerKey: customerId === null ? undefined : customerKeyOf(organizationId, type, customerId),
    createdAt,
    updatedAt,
    ...(fields === undefined ? { deleted: true } : { fields }),
    seenFrom: seenAt.from,
    seenTo: seenAt.to,
    version,
  };
};

export const fromItem = (item: unknown): StoredRecord => {
  const { key, fields, seenFrom, seenTo, ...own } = RecordItem.parse(item);
  const end = key.indexOf(SEPARATOR);
  const type = RecordType.parse(key.slice(0, end));
  return {
    ...own,
    type,
    id: key.slice(end + SEPARATOR.length),
    fields: fields === undefined ? undefined : recordFields[type].parse(fields),
    seenAt: { from: seenFrom, to: seenTo },
  };
};

const ListedItem = z.object({ key: z.string(), createdAt: z.number(), deleted: z.optional(z.boolean()) });

/** The attributes that `fromListedItem` takes. */
export const LISTED_ATTRIBUTES = ["key", "createdAt", "deleted"] as const;

/** An id of a record, for counting. `createdAt` in epoch ms. */
export type ListedId = Pick<StoredRecord, "id" | "createdAt"> & { deleted: boolean };

export const fromListedItem = (item: unknown): ListedId => {
  const { key, createdAt, deleted = false } = ListedItem.parse(item);
  return { id: key.slice(key.indexOf(SEPARATOR) + SEPARATOR.length), createdAt, deleted };
};

const nulls = (type: RecordType) =>
  Object.fromEntries(Object.keys(recordFields[type].shape).map((name) => [name, null]));

/** The record as it is answered; of a deleted one the fields are null. */
export const toSyncedRecord = ({ type, id, createdAt, updatedAt, fields }: StoredRecord): SyncedRecord =>
  SyncedRecord.parse({ id, type, createdAt, updatedAt, deleted: fields === undefined, ...(fields ?? nulls(type)) });
