import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItem } from "../runtime/get-item.ts";

/** One item beside the organizations' (sync-item.ts); no organization has this scope. */
const KEY = { scope: "#schedule", key: "occurrence" };

/**
 * The last occurrence of the schedule of syncs, epoch ms. `assumedAt`: when the hourly search concluded that the
 * occurrence was lost. `isStart`: no occurrence yet, only the time from which the next one is expected.
 */
const Occurrence = z.object({
  slot: z.number(),
  assumedAt: z.optional(z.number()),
  isStart: z.optional(z.boolean()),
});
export type Occurrence = z.output<typeof Occurrence>;

export type OccurrenceStore = ReturnType<typeof createOccurrenceStore>;

/** Both calls throw DomainError `store_unavailable`. */
export const createOccurrenceStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** A strongly consistent read: one read unit. */
  async read(): Promise<Occurrence | undefined> {
    const item = await getItem(client, tableName, KEY);
    return item && Occurrence.parse(item);
  },

  /** Replaces the occurrence that was read; one write unit. @returns false if another one was stored meanwhile. */
  async replace(next: Occurrence, previous: Occurrence | undefined): Promise<boolean> {
    const command = new PutCommand({
      ...{ TableName: tableName, Item: { ...next, ...KEY } },
      ...{ ExpressionAttributeNames: { "#slot": "slot" } },
      ...(previous === undefined
        ? { ConditionExpression: "attribute_not_exists(#slot)" }
        : { ConditionExpression: "#slot = :slot", ExpressionAttributeValues: { ":slot": previous.slot } }),
    });
    return (await conditionalWrite((options) => client.send(command, options))).written;
  },
});
