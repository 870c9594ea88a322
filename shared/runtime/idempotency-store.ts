import { createHash } from "node:crypto";
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "./call-store.ts";
import { conditionalWrite } from "./conditional-write.ts";
import { DomainError } from "./domain-error.ts";

/** How long a key gets the same answer (docs/decisions.md). */
const KEPT_SECONDS = 24 * 3_600;

const KeyItem = z.object({ request: z.string(), value: z.string(), ttl: z.number() });

/** `scope` is the partition; `request` a text of any length with the route and its input. */
export type IdempotentRequest = { scope: string; idempotencyKey: string; request: string };

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

const keyOf = ({ scope, idempotencyKey }: Pick<IdempotentRequest, "scope" | "idempotencyKey">) => ({
  scope,
  key: `key#${digest(idempotencyKey)}`,
});

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/**
 * The values of requests with an Idempotency-Key: the first request with a key decides the value for all of them. One
 * item per key in any table with partition key `scope`, sort key `key` and expiry `ttl`: `key#<digest>`, a
 * digest of the `request`, and the `value`. All calls throw DomainError `store_unavailable`.
 */
export const createIdempotencyStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Reserves a key; one write unit, and a read unit if it is reserved already.
   * @param value the id of the work, unique to this call.
   * @param now epoch ms; keys that have expired by then are free.
   * @returns the value of the first request with the same key and content.
   * @throws DomainError `idempotency_conflict` if the key was used with other content.
   */
  async reserve(
    { request, ...named }: IdempotentRequest,
    value: string,
    now: number,
  ): Promise<{ isNew: boolean; value: string }> {
    const nowSeconds = Math.floor(now / 1_000);
    const command = new PutCommand({
      TableName: tableName,
      Item: { ...keyOf(named), request: digest(request), value, ttl: nowSeconds + KEPT_SECONDS },
      ConditionExpression: "attribute_not_exists(#key) OR #ttl <= :now",
      ExpressionAttributeNames: { "#key": "key", "#ttl": "ttl" },
      ExpressionAttributeValues: { ":now": nowSeconds },
    });
    const { written } = await conditionalWrite((options) => client.send(command, options));
    if (written) return { isNew: true, value };
    const read = new GetCommand({ TableName: tableName, Key: keyOf(named), ConsistentRead: true });
    const { Item } = await callStore((options) => client.send(read, options));
    // Released or expired between the two calls. If the client repeats the request, the key is free.
    if (Item === undefined) throw new DomainError("store_unavailable", "The Idempotency-Key was in use. Try again.");
    const stored = KeyItem.parse(Item);
    if (stored.request !== digest(request)) {
      throw new DomainError("idempotency_conflict", "Idempotency-Key: it was used with another body.");
    }
    return { isNew: stored.value === value, value: stored.value };
  },

  /** Releases the key of a failed request, if the key still has the value; one write unit. */
  async release(named: Pick<IdempotentRequest, "scope" | "idempotencyKey">, value: string): Promise<void> {
    const command = new DeleteCommand({
      TableName: tableName,
      Key: keyOf(named),
      ConditionExpression: "#value = :value",
      ExpressionAttributeNames: { "#value": "value" },
      ExpressionAttributeValues: { ":value": value },
    });
    await conditionalWrite((options) => client.send(command, options));
  },
});
