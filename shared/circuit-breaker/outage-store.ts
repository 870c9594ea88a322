import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";

/** One item in the circuits' table. No circuit has this key. */
const OUTAGE_KEY = { id: "outage" };

const OutageItem = z.object({ since: z.optional(z.number()), recordedAt: z.optional(z.number()) });

/** The current outage, and whether its event is recorded. Times in epoch ms. */
export type Outage = { since: number; isRecorded: boolean };

export type OutageStore = ReturnType<typeof createOutageStore>;

/** The current outage of all circuits. All calls throw DomainError `store_unavailable` if the table does not answer. */
export const createOutageStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** A failed condition means that another instance did the same first. */
  const update = async (UpdateExpression: string, ConditionExpression: string, values?: Record<string, number>) => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: OUTAGE_KEY,
      UpdateExpression,
      ConditionExpression,
      ...(values && { ExpressionAttributeValues: values }),
    });
    await conditionalWrite((options) => client.send(command, options));
  };

  return {
    /** Read strongly consistent; undefined if there is no outage. */
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
