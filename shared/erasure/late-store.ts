import { createHash } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { readPages } from "../runtime/read-pages.ts";
import { organizationKey } from "../terms/keys.ts";
import { type ErasureScope, erasureScopes } from "./erasure.ts";

const PREFIX = "late#";

/** The longest that an erasure may take, and then that a queue keeps a message, in days; and a day for the clocks. */
const KEPT_SECONDS = (30 + 14 + 1) * 86_400;

const LateItem = z.object({
  key: z.string(),
  what: z.enum(erasureScopes),
  digest: z.optional(z.string()),
  until: z.optional(z.number()),
});

/**
 * What events that arrive late are held against. `digest` stands for the user of an erasure of one; `until` (epoch ms) is
 * when it was completed: what happened later is another matter.
 */
export type LateRule = {
  erasureId: string;
  what: ErasureScope;
  digest?: string | undefined;
  until?: number | undefined;
};

/** What stands for an erased user: another text for each erasure, and gone with its item. */
export const digestOfUser = (organizationId: string, erasureId: string, userId: string): string =>
  createHash("sha256")
    .update(JSON.stringify([organizationKey(organizationId), erasureId, userId]))
    .digest("base64url");

type Asked = { id: string; what: ErasureScope; userId?: string | undefined; requestedAt: number };

/** The item that is put with a request. */
export const lateItemOf = (organizationId: string, { id, what, userId, requestedAt }: Asked) => ({
  scope: organizationKey(organizationId),
  key: PREFIX + id,
  what,
  ...(userId !== undefined && { digest: digestOfUser(organizationId, id, userId) }),
  ttl: Math.floor(requestedAt / 1_000) + KEPT_SECONDS,
});

export type LateStore = ReturnType<typeof createLateStore>;

/** The rules of each organization, beside its erasures. All calls throw DomainError `store_unavailable`. */
export const createLateStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /** All of an organization, read strongly: a read unit, as long as there are few. */
  async list(organizationId: string): Promise<LateRule[]> {
    const pages = readPages(client, {
      TableName: tableName,
      KeyConditionExpression: "#scope = :scope AND begins_with(#key, :prefix)",
      ExpressionAttributeNames: { "#scope": "scope", "#key": "key" },
      ExpressionAttributeValues: { ":scope": organizationKey(organizationId), ":prefix": PREFIX },
      ConsistentRead: true,
    });
    const rules: LateRule[] = [];
    for await (const page of pages) {
      for (const item of page) {
        const { key, ...rule } = LateItem.parse(item);
        rules.push({ ...rule, erasureId: key.slice(PREFIX.length) });
      }
    }
    return rules;
  },

  /** Says until when an erasure reached. @param until epoch ms. */
  async setUntil(organizationId: string, erasureId: string, until: number): Promise<void> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { scope: organizationKey(organizationId), key: PREFIX + erasureId },
      UpdateExpression: "SET #until = :until",
      // One that has expired must not come back without what it is about; it serves nobody any more.
      ConditionExpression: "attribute_exists(#key)",
      ExpressionAttributeNames: { "#until": "until", "#key": "key" },
      ExpressionAttributeValues: { ":until": until },
    });
    await callStore((options) => client.send(command, options)).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  },
});
