/**
 * A DynamoDB table as stores use it. Here, and nowhere else, is said how a call is retried and what a lost answer means.
 *
 * The SDK sends a call again if its answer was lost:
 *
 *     store:  put version 7 ──(written)──✗ answer lost      put version 7 again ── refused: version 7 is stored
 *     caller: ──────────────────────────────────────────────────────────────────── sees "written"
 *
 * So the second attempt is refused because of the first. A write that names `own`, an attribute whose value no other
 * write has, is recognised by that value and counts as written. A repeated deletion counts as done if the item is gone.
 */
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { TableKey, TableName } from "../terms/tables.ts";
import { callStore, isTransactionConflict } from "./call-store.ts";
import { type ConditionalWrite, conditionalWrite } from "./conditional-write.ts";
import {
  type Condition,
  type Item,
  renderCondition,
  renderProjection,
  renderUpdate,
  type Update,
} from "./table-expressions.ts";

export { type Condition, type Item, type Update, unchanged } from "./table-expressions.ts";

/**
 * One table of a deployment. The calls are functions, so that a bundle has only those that its stores use. All throw
 * DomainError `store_unavailable`.
 */
export type Table<Name extends TableName = TableName> = {
  client: DynamoDBDocumentClient;
  /** The table's name in the account. */
  deployedName: string;
  /** Not there at run time: keeps the tables apart for the compiler. */
  readonly of?: Name;
};

export const createTable = <Name extends TableName>(
  client: DynamoDBDocumentClient,
  deployedName: string,
): Table<Name> => ({ client, deployedName });

/**
 * Whether a write met its condition, and whether the SDK sent it more than once. `item`: if written, the item that
 * `returns` asks for; if refused, the stored item (undefined if there is none). `isHeld`: see `whileHeld`.
 */
export type WriteResult = { written: boolean; item: Item | undefined; isRepeated: boolean; isHeld: boolean };

type Own = {
  /** The attribute whose new value only this call writes, such as a version or a token. */
  own?: string;
};

export type Deadline = {
  /** For all attempts together. */
  deadlineMs?: number | undefined;
};

type Holding = {
  /** A write of an item that a transaction holds is refused, with `isHeld`. By default, it throws `store_unavailable`. */
  whileHeld?: "refuse";
};

export type Reading = { attributes?: readonly string[] | undefined; isConsistent?: boolean };

/** Reads an item strongly consistent unless asked otherwise: a read unit per 4 KB, or half of one. */
export const getItem = async <Name extends TableName>(
  { client, deployedName: TableName }: Table<Name>,
  key: TableKey<Name>,
  { attributes, isConsistent = true, deadlineMs }: Reading & Deadline = {},
): Promise<Item | undefined> => {
  const command = new GetCommand({
    TableName,
    Key: { ...key },
    ...renderProjection(attributes),
    ...(isConsistent && { ConsistentRead: true }),
  });
  return (await callStore((options) => client.send(command, options), deadlineMs)).Item;
};

/** The result of a write; a refusal because of an own earlier attempt counts as written. */
const resultOf = <Output extends { Attributes?: Record<string, unknown> | undefined }>(
  write: ConditionalWrite<Output>,
  isOwn: (stored: Item | undefined) => boolean,
): WriteResult => {
  const { written, isRepeated } = write;
  if (written) return { written, item: write.output.Attributes, isRepeated, isHeld: false };
  return { written: isOwn(write.item), item: write.item, isRepeated, isHeld: false };
};

const heldOrThrow =
  (whileHeld: Holding["whileHeld"]) =>
  (error: unknown): WriteResult => {
    if (whileHeld === undefined || !isTransactionConflict(error)) throw error;
    return { written: false, item: undefined, isRepeated: false, isHeld: true };
  };

const hasOwn = (own: string | undefined, item: Item) => (stored: Item | undefined) =>
  own !== undefined && item[own] !== undefined && stored?.[own] === item[own];

/** Puts an item; a write unit per KB, and the same per index of the item. */
export const putItem = async <Name extends TableName>(
  { client, deployedName: TableName }: Table<Name>,
  item: TableKey<Name> & Item,
  { own, whileHeld, deadlineMs, ...condition }: Condition & Own & Holding & Deadline = {},
): Promise<WriteResult> => {
  const command = new PutCommand({ TableName, Item: { ...item }, ...renderCondition(condition) });
  return conditionalWrite((options) => client.send(command, options), deadlineMs).then(
    (write) => resultOf(write, hasOwn(own, item)),
    heldOrThrow(whileHeld),
  );
};

/** Updates an item, or creates it; a write unit per KB, and up to two per index whose keys change. */
export const updateItem = async <Name extends TableName>(
  { client, deployedName: TableName }: Table<Name>,
  key: TableKey<Name>,
  {
    own,
    returns,
    whileHeld,
    deadlineMs,
    ...update
  }: Update & Own & Holding & Deadline & { returns?: "before" | "after" },
): Promise<WriteResult> => {
  const command = new UpdateCommand({
    TableName,
    Key: { ...key },
    ...renderUpdate(update),
    ...(returns !== undefined && { ReturnValues: returns === "after" ? "ALL_NEW" : "ALL_OLD" }),
  });
  return conditionalWrite((options) => client.send(command, options), deadlineMs).then(
    (write) => resultOf(write, hasOwn(own, { ...update.set })),
    heldOrThrow(whileHeld),
  );
};

/** Deletes an item, if there is one and the condition holds. */
export const deleteItem = async <Name extends TableName>(
  { client, deployedName: TableName }: Table<Name>,
  key: TableKey<Name>,
  condition: Condition = {},
): Promise<WriteResult> => {
  const command = new DeleteCommand({ TableName, Key: { ...key }, ...renderCondition(condition) });
  const write = await conditionalWrite((options) => client.send(command, options));
  return resultOf(write, (stored) => write.isRepeated && stored === undefined);
};
