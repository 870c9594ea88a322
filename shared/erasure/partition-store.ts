import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore, isTransactionConflict } from "../runtime/call-store.ts";
import { deleteItems } from "../runtime/delete-items.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { renderUpdate } from "../runtime/render-update.ts";

/** Items that a page looks at. Removing them takes seconds, and the lease lasts longer. */
const PAGE_ITEMS = 1_000;
const UPDATES_AT_ONCE = 16;

type Item = Record<string, unknown>;

/** An item's sort key, and what becomes of it. */
export type Change = { key: string; fate: "delete" | { remove: readonly string[]; set: Readonly<Item> } };

export type ReadOptions = {
  /** Only keys that begin with it. */
  prefix?: string;
  /** Attributes to read besides the sort key; all where not said. */
  attributes?: readonly string[];
  /** A condition on items, with its values; names in it are attributes' own, after a `#`. */
  filter?: { condition: string; values: Readonly<Item> };
};

export type Partition = ReturnType<typeof createPartition>;

/**
 * One partition of a table, as an erasure looks through it. All calls throw DomainError `store_unavailable`.
 * @param sortKey the name of the table's sort key; the partition key is `scope`.
 */
export const createPartition = (
  client: DynamoDBDocumentClient,
  { tableName, sortKey, scope }: { tableName: string; sortKey: string; scope: string },
) => {
  const change = async (
    key: string,
    { remove, set }: Exclude<Change["fate"], "delete">,
    { unlessChanged }: { unlessChanged: Item | undefined },
  ): Promise<void> => {
    const seen = unlessChanged === undefined ? [] : [...remove, ...Object.keys(set)];
    const update = renderUpdate({
      set: { ...set },
      remove,
      condition: [`attribute_exists(#${sortKey})`, ...seen.map((name) => `#${name} = :seen_${name}`)].join(" AND "),
      values: Object.fromEntries(seen.map((name) => [`seen_${name}`, unlessChanged?.[name]])),
    });
    const { ExpressionAttributeValues: values, ...rest } = update;
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope, [sortKey]: key },
      ...rest,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    });
    try {
      await callStore((options) => client.send(command, options));
    } catch (error) {
      // Gone, or changed since it was read: the next round looks again.
      if (!(error instanceof ConditionalCheckFailedException) && !isTransactionConflict(error)) throw error;
    }
  };

  return {
    /** A page of items from a key on, read strongly: a read unit per 4 KB, of those too that the filter leaves out. */
    async read(
      after: string | undefined,
      { prefix, attributes, filter }: ReadOptions = {},
    ): Promise<{ items: (Item & { sortKey: string })[]; next: string | undefined }> {
      const shown = attributes && [...new Set([sortKey, ...attributes])];
      const named = ["scope", ...(prefix === undefined ? [] : [sortKey]), ...(shown ?? [])];
      const names = [...named, ...(filter?.condition.match(/(?<=#)\w+/g) ?? [])];
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: `#scope = :scope${prefix === undefined ? "" : ` AND begins_with(#${sortKey}, :prefix)`}`,
        ...(shown && { ProjectionExpression: shown.map((name) => `#${name}`).join(", ") }),
        ...(filter && { FilterExpression: filter.condition }),
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: {
          ":scope": scope,
          ...(prefix !== undefined && { ":prefix": prefix }),
          ...Object.fromEntries(Object.entries(filter?.values ?? {}).map(([name, value]) => [`:${name}`, value])),
        },
        ...(after !== undefined && { ExclusiveStartKey: { scope, [sortKey]: after } }),
        Limit: PAGE_ITEMS,
        ConsistentRead: true,
      });
      const { Items = [], LastEvaluatedKey } = await callStore((options) => client.send(command, options));
      return {
        items: Items.map((item) => ({ ...item, sortKey: z.string().parse(item[sortKey]) })),
        next: LastEvaluatedKey && z.string().parse(LastEvaluatedKey[sortKey]),
      };
    },

    /**
     * Deletes items, and changes others that are still there: a write unit per KB each, and as much for each index that
     * has them.
     * @param items as they were read, where a change must not undo one that somebody has made since.
     */
    async apply(changes: readonly Change[], items?: ReadonlyMap<string, Item>): Promise<void> {
      const deleted = changes.filter(({ fate }) => fate === "delete");
      await deleteItems(
        client,
        tableName,
        deleted.map(({ key }) => ({ scope, [sortKey]: key })),
      );
      await inParallel(changes, UPDATES_AT_ONCE, async ({ key, fate }) => {
        if (fate !== "delete") await change(key, fate, { unlessChanged: items?.get(key) });
      });
    },
  };
};
