import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";

/** The one item that says whether half or more of all circuits are open; no circuit has this key. */
const OUTAGE_KEY = { id: "outage" };

const OutageItem = z.object({ since: z.optional(z.number()), recordedAt: z.optional(z.number()) });

/** An outage under way, and whether its event was recorded. Times in epoch ms. */
export type Outage = { since: number; isRecorded: boolean };

export type OutageStore = ReturnType<typeof createOutageStore>;

/** The outage under way. All calls throw DomainError `store_unavailable` when the table does not answer. */
export const createOutageStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** Carries out an update if its condition holds; otherwise somebody else has come first, and nothing is to do. */
  const update = async (UpdateExpression: string, ConditionExpression: string, values?: Record<string, number>) => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: OUTAGE_KEY,
      UpdateExpression,
      ConditionExpression,
      ...(values && { ExpressionAttributeValues: values }),
    });
    await callStore((options) => client.send(command, options)).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  };

  return {
    /** Read strongly; undefined where there is none. */
    async read(): Promise<Outage | undefined> {
      const command = new GetCommand({ TableName: tableName, Key: OUTAGE_KEY, ConsistentRead: true });
      const { Item } = await callStore((options) => client.send(command, options));
      const { since, recordedAt } = OutageItem.parse(Item ?? {});
      return since === undefined ? undefined : { since, isRecorded: recordedAt !== undefined };
    },

    begin: (now: number): Promise<void> =>
      update("SET since = :now REMOVE recordedAt", "attribute_not_exists(since)", { ":now": now }),

    markRecorded: ({ since }: Outage, now: number): Promise<void> =>
      update("SET recordedAt = :now", "since = :since", { ":now": now, ":since": since }),

    end: ({ since }: Outage): Promise<void> =>
      update("REMOVE since, recordedAt", "since = :since", { ":since": since }),
  };
};
