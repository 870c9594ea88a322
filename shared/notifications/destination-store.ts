import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { definedFields } from "../json/defined-fields.ts";
import { callStore } from "../runtime/call-store.ts";
import { conditionalWrite, transactWithRetry } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";
import { queryPage } from "../runtime/query-page.ts";
import { renderUpdate } from "../runtime/render-update.ts";
import { organizationKey } from "../terms/keys.ts";
import { MAX_DESTINATIONS } from "./destination.ts";
import type { UnrecordedChange } from "./notification-events.ts";
import {
  CONFIRMATIONS_KEY,
  COUNT_KEY,
  DELETED_PREFIX,
  DESTINATION_PREFIX,
  type DestinationItem,
  deletedKey,
  destinationKey,
  parseDeletedItem,
  parseDestinationItem,
} from "./notification-items.ts";

/** An organization gets at most so many confirmation mails a day, because they go to addresses of strangers. */
const MAX_CONFIRMATIONS_PER_DAY = 50;

/** The attributes that a change may write; undefined removes one. */
export type DestinationChange = Partial<{
  [Name in keyof Omit<DestinationItem, "id" | "type" | "version">]: DestinationItem[Name] | undefined;
}>;

export type DestinationStore = ReturnType<typeof createDestinationStore>;

/** The destinations of organizations; keys in notification-items.ts. All calls throw DomainError `store_unavailable`. */
export const createDestinationStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** All destinations of an organization, oldest first, read strongly. One read unit per 4 KB. */
  async list(organizationId: string): Promise<DestinationItem[]> {
    const { items } = await queryPage(
      client,
      {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":prefix": DESTINATION_PREFIX },
        ConsistentRead: true,
      },
      MAX_DESTINATIONS,
    );
    return items.map(parseDestinationItem);
  },

  /** Reads strongly: one read unit per 4 KB. */
  async read(organizationId: string, id: string): Promise<DestinationItem | undefined> {
    const item = await getItem(client, tableName, destinationKey(organizationId, id));
    return item && parseDestinationItem(item);
  },

  /** Four write units, and two per KB. `exists`: an earlier attempt of the same request has created it. */
  async create(organizationId: string, item: DestinationItem): Promise<"created" | "exists" | "too_many"> {
    const failed = await transactWithRetry(client, [
      {
        Put: {
          TableName: tableName,
          Item: { ...destinationKey(organizationId, item.id), ...item },
          ConditionExpression: "attribute_not_exists(#key)",
          ExpressionAttributeNames: { "#key": "key" },
        },
      },
      {
        Update: {
          TableName: tableName,
          Key: { scope: organizationKey(organizationId), key: COUNT_KEY },
          UpdateExpression: "ADD #count :one",
          ConditionExpression: "attribute_not_exists(#count) OR #count < :most",
          ExpressionAttributeNames: { "#count": "count" },
          ExpressionAttributeValues: { ":one": 1, ":most": MAX_DESTINATIONS },
        },
      },
    ]);
    if (failed.has(0)) return "exists";
    return failed.has(1) ? "too_many" : "created";
  },

  /**
   * Changes a destination if it was not changed by another request since it was read. Tries to send are no such changes.
   * One write unit per KB.
   * @returns the destination after the change; undefined if another change or the deletion came first.
   */
  async change(
    organizationId: string,
    { id, version: previous }: Pick<DestinationItem, "id" | "version">,
    change: DestinationChange,
    version: string,
  ): Promise<DestinationItem | undefined> {
    const remove = Object.keys(change).filter((name) => change[name as keyof DestinationChange] === undefined);
    const command = new UpdateCommand({
      TableName: tableName,
      Key: destinationKey(organizationId, id),
      ...renderUpdate({
        set: { ...definedFields(change), version },
        remove,
        condition: "#version = :previous",
        values: { previous },
      }),
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    const result = await conditionalWrite((options) => client.send(command, options));
    if (result.written) return parseDestinationItem(result.output.Attributes);
    // An earlier attempt of this very call may have written the item and lost its answer.
    return result.item?.version === version ? parseDestinationItem(result.item) : undefined;
  },

  /**
   * Four write units, or six with the change, which is kept until its event is recorded.
   * @returns false if there is no such destination.
   */
  async delete(organizationId: string, id: string, change?: UnrecordedChange): Promise<boolean> {
    const failed = await transactWithRetry(client, [
      {
        Delete: {
          TableName: tableName,
          Key: destinationKey(organizationId, id),
          ConditionExpression: "attribute_exists(#key)",
          ExpressionAttributeNames: { "#key": "key" },
        },
      },
      {
        Update: {
          TableName: tableName,
          Key: { scope: organizationKey(organizationId), key: COUNT_KEY },
          UpdateExpression: "ADD #count :minus",
          ExpressionAttributeNames: { "#count": "count" },
          ExpressionAttributeValues: { ":minus": -1 },
        },
      },
      ...(change === undefined
        ? []
        : [{ Put: { TableName: tableName, Item: { ...deletedKey(organizationId, id), change } } }]),
    ]);
    return failed.size === 0;
  },

  /** The deletions whose events are not recorded yet. One read unit, and often half of one. */
  async listDeletions(organizationId: string): Promise<UnrecordedChange[]> {
    const { items } = await queryPage(
      client,
      {
        TableName: tableName,
        KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
        ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
        ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":prefix": DELETED_PREFIX },
        ConsistentRead: true,
      },
      MAX_DESTINATIONS,
    );
    return items.map(parseDeletedItem);
  },

  /** Removes a change after its event is recorded; a later change stays. One write unit per KB. */
  async forgetChange(
    organizationId: string,
    { action, destination: { id }, version }: UnrecordedChange,
  ): Promise<void> {
    if (action === "delete_destination") {
      const command = new DeleteCommand({ TableName: tableName, Key: deletedKey(organizationId, id) });
      await callStore((options) => client.send(command, options));
      return;
    }
    const command = new UpdateCommand({
      TableName: tableName,
      Key: destinationKey(organizationId, id),
      UpdateExpression: "REMOVE #change",
      ConditionExpression: "#change.#version = :version",
      ExpressionAttributeNames: { "#change": "change", "#version": "version" },
      ExpressionAttributeValues: { ":version": version },
    });
    await conditionalWrite((options) => client.send(command, options));
  },

  /**
   * Counts a confirmation mail of a day. One write unit.
   * @param day as in `2026-11-21`. @param expiresAt epoch ms.
   * @returns false if the organization had too many that day.
   */
  async countConfirmation(organizationId: string, day: string, expiresAt: number): Promise<boolean> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), key: CONFIRMATIONS_KEY + day },
      UpdateExpression: "ADD #count :one SET #ttl = :ttl",
      ConditionExpression: "attribute_not_exists(#count) OR #count < :most",
      ExpressionAttributeNames: { "#count": "count", "#ttl": "ttl" },
      ExpressionAttributeValues: {
        ":one": 1,
        ":most": MAX_CONFIRMATIONS_PER_DAY,
        ":ttl": Math.ceil(expiresAt / 1_000),
      },
    });
    return (await conditionalWrite((options) => client.send(command, options))).written;
  },
});
