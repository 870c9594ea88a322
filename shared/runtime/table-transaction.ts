/** Transactions of writes to one or more tables. */
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { TableKey, TableName } from "../terms/tables.ts";
import { transactOnce as sendOnce, transactWithRetry } from "./conditional-write.ts";
import type { Table } from "./table.ts";
import { type Condition, type Item, renderCondition, renderUpdate, type Update } from "./table-expressions.ts";

export type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

export const putPart = <Name extends TableName>(
  { deployedName: TableName }: Table<Name>,
  item: TableKey<Name> & Item,
  condition: Condition = {},
): TransactItem => ({ Put: { TableName, Item: { ...item }, ...renderCondition(condition) } });

export const updatePart = <Name extends TableName>(
  { deployedName: TableName }: Table<Name>,
  key: TableKey<Name>,
  update: Update,
): TransactItem => {
  const { UpdateExpression, ...rendered } = renderUpdate(update);
  return { Update: { TableName, Key: { ...key }, UpdateExpression, ...rendered } };
};

export const deletePart = <Name extends TableName>(
  { deployedName: TableName }: Table<Name>,
  key: TableKey<Name>,
  condition: Condition = {},
): TransactItem => ({ Delete: { TableName, Key: { ...key }, ...renderCondition(condition) } });

export const checkPart = <Name extends TableName>(
  { deployedName: TableName }: Table<Name>,
  key: TableKey<Name>,
  check: Condition & { condition: string },
): TransactItem => {
  const { ConditionExpression = check.condition, ...rendered } = renderCondition(check);
  return { ConditionCheck: { TableName, Key: { ...key }, ConditionExpression, ...rendered } };
};

/**
 * Writes all parts or none, and tries again while other transactions hold an item. Twice the units of single writes.
 * @param table one of the tables; its client sends the transaction.
 * @returns the positions of the parts whose condition failed, each with the stored item; empty if all was written.
 */
export const transact = (
  { client }: Table,
  parts: readonly TransactItem[],
): Promise<ReadonlyMap<number, Item | undefined>> => transactWithRetry(client, [...parts]);

/** Likewise without a second try: undefined if another transaction holds an item. */
export const transactOnce = (
  { client }: Table,
  parts: readonly TransactItem[],
): Promise<ReadonlyMap<number, Item | undefined> | undefined> => sendOnce(client, [...parts]);
