import { createHmac } from "node:crypto";
import * as z from "zod/mini";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { DomainError } from "./domain-error.ts";
import { deleteItem, putItem, type Table, updateItem } from "./table.ts";

/** How long a key gets the same answer (docs/decisions.md). */
const KEPT_SECONDS = 24 * 3_600;

const KeyItem = z.object({
  request: z.string(),
  requestId: z.string(),
  at: z.number(),
  answer: z.optional(z.string()),
});

/**
 * `scope` is the partition; `userId` empty if there is none; `operation` a short name; `request` a text of any length with
 * the request's input.
 */
export type IdempotentRequest = {
  scope: string;
  userId: string;
  operation: string;
  idempotencyKey: string;
  request: string;
};

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/**
 * The requests with an Idempotency-Key, and their first answers. Partition key `scope`, sort key `key`
 * (`<operation>#<digest of user and key>`), expiry `ttl`: `request` is a digest, `requestId` and `at` are the identity,
 * `answer` is a text that the caller has sealed. All calls throw DomainError `store_unavailable`.
 * @param sealingKey the digests are keyed with it, so that a reader of the table cannot try keys and bodies.
 */
export const createIdempotencyStore = (table: Table<"idempotencyKeys">, sealingKey: string) => {
  const digest = (...parts: string[]): string =>
    createHmac("sha256", sealingKey)
      .update(JSON.stringify(["idempotency-key", ...parts]))
      .digest("base64url");

  const keyOf = ({ scope, userId, operation, idempotencyKey }: IdempotentRequest) => ({
    scope,
    key: `${operation}#${digest(userId, idempotencyKey)}`,
  });

  return {
    /**
     * Reserves a key for a request, unless it is reserved; one write unit. A key that has expired by `own.at` is free.
     * @param own the identity of this attempt.
     * @returns the identity of the first attempt with the same key and request, and its answer, if it has one.
     * @throws DomainError `idempotency_conflict` if the key was used with another request.
     */
    async reserve(
      named: IdempotentRequest,
      own: Pick<RequestIdentity, "id" | "at">,
    ): Promise<{ identity: RequestIdentity; answer?: string | undefined }> {
      const nowSeconds = Math.floor(own.at / 1_000);
      const request = digest(named.userId, named.idempotencyKey, named.request);
      const result = await putItem(
        table,
        { ...keyOf(named), request, requestId: own.id, at: own.at, ttl: nowSeconds + KEPT_SECONDS },
        { condition: "attribute_not_exists(#key) OR #ttl <= :now", values: { now: nowSeconds } },
      );
      if (result.written) return { identity: { ...own, isKeyed: true, isRepeated: false } };
      const { requestId: id, at, answer, ...stored } = KeyItem.parse(result.item);
      if (stored.request !== request) {
        throw new DomainError("idempotency_conflict", "Idempotency-Key: it was used with another body.");
      }
      // If the stored id is ours, our first attempt wrote the item; only its answer was lost.
      return { identity: { id, at, isKeyed: true, isRepeated: id !== own.id }, answer };
    },

    /**
     * Stores the answer, unless there is one; a write unit per KB.
     * @returns the first answer; undefined if the key was released or has expired.
     */
    async complete(named: IdempotentRequest, id: string, answer: string): Promise<string | undefined> {
      const { written, item } = await updateItem(table, keyOf(named), {
        setOnce: { answer },
        condition: "#requestId = :id",
        values: { id },
        returns: "after",
      });
      return written ? KeyItem.parse(item).answer : undefined;
    },

    /** Frees the key of a refused request, unless another attempt has an answer; one write unit. */
    async release(named: IdempotentRequest, id: string): Promise<void> {
      const isUnanswered = "#requestId = :id AND attribute_not_exists(#answer)";
      await deleteItem(table, keyOf(named), { condition: isUnanswered, values: { id } });
    },
  };
};
