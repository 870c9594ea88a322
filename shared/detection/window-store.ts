import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { WINDOW_PREFIX, windowKey } from "./detection-keys.ts";
import { parseWindow, toWindowItem, type Window } from "./window-item.ts";

export type WindowStore = ReturnType<typeof createWindowStore>;

/** The judged hours of each scope (window-item.ts). All calls throw DomainError `store_unavailable`. */
export const createWindowStore = (
  client: DynamoDBDocumentClient,
  tableName: string,
  { retentionDays }: { retentionDays: number },
) => {
  const get = async (scope: string, hour: number): Promise<Window | undefined> => {
    const command = new GetCommand({
      TableName: tableName,
      Key: { scope, key: windowKey(hour) },
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item && parseWindow(Item);
  };

  return {
    /** Reads one strongly: one read unit per 4 KB. @param hour epoch ms. */
    get,

    /** The latest judged hour up to one, itself included, read strongly: one read unit per 4 KB. @param hour epoch ms. */
    async latest(scope: string, hour: number): Promise<Window | undefined> {
      const command = new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND #key BETWEEN :first AND :last",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": scope, ":first": WINDOW_PREFIX, ":last": windowKey(hour) },
        ScanIndexForward: false,
        Limit: 1,
        ConsistentRead: true,
      });
      const { Items = [] } = await callStore((options) => client.send(command, options));
      return Items[0] && parseWindow(Items[0]);
    },

    /**
     * Decides what came of an hour, once and for all; a write unit per KB, and a read where it was decided before.
     * @returns what was decided: this, or what another came to first.
     */
    async put(scope: string, window: Window): Promise<Window> {
      const command = new PutCommand({
        TableName: tableName,
        Item: toWindowItem(scope, window, { retentionDays }),
        ConditionExpression: "attribute_not_exists(#key)",
        ExpressionAttributeNames: { "#key": "key" },
      });
      try {
        await callStore((options) => client.send(command, options));
        return window;
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
        // Another's, or our own whose answer was lost: either way what is stored counts.
        return (await get(scope, window.hour)) ?? window;
      }
    },

    /** Says that all is done that follows from an hour; a write unit per KB. An erased one stays erased. */
    async markFinished(scope: string, hour: number, now: number): Promise<void> {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { scope, key: windowKey(hour) },
        UpdateExpression: "SET #finishedAt = :now",
        ConditionExpression: "attribute_exists(#key)",
        ExpressionAttributeNames: { "#finishedAt": "finishedAt", "#key": "key" },
        ExpressionAttributeValues: { ":now": now },
      });
      try {
        await callStore((options) => client.send(command, options));
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },
  };
};
