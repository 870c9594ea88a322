/**
 * Keys of the table of records: partition key `scope` (the organization's key), sort key `key` (`<type>#<id>`).
 * Index byCreated: partition key `listKey` (scope#type), sort key `createdKey` (`createdAt` in 15 digits, `#`, id).
 * Index byCustomer: partition key `customerKey` (listKey#customerId), where there is one, sort key `createdKey`.
 */
import * as z from "zod/mini";
import { RECORDS_BY_CREATION, RECORDS_BY_CUSTOMER } from "../terms/indexes.ts";
import { organizationKey, partKey } from "../terms/keys.ts";
import { RecordType } from "./record.ts";
import type { RecordPosition } from "./record-query.ts";

/** Names a record within its organization. `id` is the provider's. */
export type RecordKey = { type: RecordType; id: string };

const SEPARATOR = "#";
const TIME_DIGITS = 15;

/** What DynamoDB takes as a key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_SORT_KEY_BYTES = 1_024;
const MAX_PARTITION_KEY_BYTES = 2_048;

/** What the sort keys of all records of a type begin with. */
export const typePrefix = (type: RecordType): string => type + SEPARATOR;

export const itemKeyOf = (organizationId: string, { type, id }: RecordKey) => ({
  scope: organizationKey(organizationId),
  key: typePrefix(type) + id,
});

/** The record that a sort key names. */
export const parseSortKey = (key: string): RecordKey => {
  const end = key.indexOf(SEPARATOR);
  return { type: RecordType.parse(key.slice(0, end)), id: key.slice(end + SEPARATOR.length) };
};

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
  [createdKeyOf({ createdAt: 0, id }), typePrefix(type) + id].every(
    (key) => Buffer.byteLength(key) <= MAX_SORT_KEY_BYTES,
  );

/** The keys of a record in the indexes. */
export const indexKeysOf = (
  organizationId: string,
  { type, ...position }: RecordKey & RecordPosition,
  customerId: string | null,
) => ({
  listKey: listKeyOf(organizationId, type),
  createdKey: createdKeyOf(position),
  customerKey: customerId === null ? undefined : customerKeyOf(organizationId, type, customerId),
});

/** A partition of an index that lists records by the time of their creation. */
export type ListPartition = { index: typeof RECORDS_BY_CREATION | typeof RECORDS_BY_CUSTOMER; keyValue: string };

/** Where the records of a type are listed, of all customers or of one; undefined where there can be none. */
export const listPartition = (
  organizationId: string,
  type: RecordType,
  customerId: string | undefined,
): ListPartition | undefined => {
  if (customerId === undefined) {
    return { index: RECORDS_BY_CREATION, keyValue: listKeyOf(organizationId, type) };
  }
  const keyValue = customerKeyOf(organizationId, type, customerId);
  return keyValue === undefined ? undefined : { index: RECORDS_BY_CUSTOMER, keyValue };
};

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

/** The place in a list of an item, or of the key of one. */
export const positionOf = (item: Readonly<Record<string, unknown>>): RecordPosition => {
  const { createdKey } = CreatedKey.parse(item);
  return { createdAt: Number(createdKey.slice(0, TIME_DIGITS)), id: createdKey.slice(TIME_DIGITS + SEPARATOR.length) };
};
