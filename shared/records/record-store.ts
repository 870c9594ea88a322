import { type DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { putIfUnchanged } from "../runtime/conditional-write.ts";
import { getItems } from "../runtime/get-items.ts";
import { fromItem, itemKeyOf, type RecordKey, type StoredRecord, toItem } from "./record-item.ts";

export type RecordStore = ReturnType<typeof createRecordStore>;

/**
 * The records of each organization, one by one; lists are record-list-store.ts's. Items: record-item.ts.
 * All calls throw DomainError `store_unavailable` when the table does not answer.
 */
export const createRecordStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** Reads one strongly: one read unit up to 4 KB. */
  async get(organizationId: string, key: RecordKey): Promise<StoredRecord | undefined> {
    const command = new GetCommand({
      TableName: tableName,
      Key: itemKeyOf(organizationId, key),
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item && fromItem(Item);
  },

  /**
   * Reads many, a hundred in a call, in no order and without those that do not exist: half a read unit each up to
   * 4 KB, whether it exists or not; strongly, one.
   * @param keys each once.
   */
  async getMany(
    organizationId: string,
    keys: readonly RecordKey[],
    { strongly }: { strongly: boolean },
  ): Promise<StoredRecord[]> {
    const itemKeys = keys.map((key) => itemKeyOf(organizationId, key));
    const { items } = await getItems(client, tableName, itemKeys, { ConsistentRead: strongly });
    return items.map(fromItem);
  },

  /**
   * Writes one if it is still the one that was read: a write unit up to 1 KB for itself, and one for each index that
   * it is in.
   * @param previousVersion the version of the one that was read; undefined where there was none.
   * @returns whether it is written; false where another came first.
   */
  put: (organizationId: string, record: StoredRecord, previousVersion: string | undefined): Promise<boolean> =>
    putIfUnchanged(client, tableName, toItem(organizationId, record), {
      attribute: "version",
      previous: previousVersion,
    }),
});
