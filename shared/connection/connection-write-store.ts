import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { callStore, isTransactionConflict } from "../runtime/call-store.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { organizationKey } from "../terms/keys.ts";
import { CONNECTED_COUNT_KEY } from "./connection-item.ts";

/** Transactions meet at the count of connected organizations, and at circuits; each loses to few others in a row. */
const MAX_ATTEMPTS = 12;

type Refused = Record<string, AttributeValue> | undefined;

/** The item that our condition refused; undefined where it was another's transaction, or the circuit that changed. */
const refusedBy = ({ CancellationReasons: [own] = [] }: TransactionCanceledException): { item: Refused } | undefined =>
  own?.Code === "ConditionalCheckFailed" ? { item: own.Item } : undefined;

export type WriteConnection = ReturnType<typeof createConnectionWriter>;

/**
 * The one way in which an organization's item changes: if its condition holds, and once even where an answer is lost.
 * @param marks only for changes that are counted.
 * @returns a function that says whether the change was made by it. `proof` names the attribute it sets that tells its
 *   own change from others'. `counted`: what the change adds to the count of connected organizations; by the same
 *   transaction the organization's circuit is marked. One write unit; if counted seven and one read unit, and two more
 *   where the circuit is not closed.
 *   It throws DomainError `store_unavailable`, also where others' transactions do not let it through.
 */
export const createConnectionWriter = (
  client: DynamoDBDocumentClient,
  tableName: string,
  marks?: Pick<ConnectionMarkStore, "mark">,
) => {
  const send = async (organizationId: string, update: Update, counted: number) => {
    const own = {
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ...renderUpdate(update),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    };
    if (counted === 0) return callStore((options) => client.send(new UpdateCommand(own), options));
    const count = {
      TableName: tableName,
      Key: { id: CONNECTED_COUNT_KEY },
      UpdateExpression: "ADD #n :counted",
      ExpressionAttributeNames: { "#n": "n" },
      ExpressionAttributeValues: { ":counted": counted },
    };
    const mark = await marks?.mark(organizationId, counted > 0);
    const command = new TransactWriteCommand({
      // The SDK sends it again where an answer was lost, and DynamoDB then says what it said the first time.
      ClientRequestToken: newRequestToken(),
      TransactItems: [{ Update: own }, { Update: count }, ...(mark === undefined ? [] : [{ Update: mark }])],
    });
    return callStore((options) => client.send(command, options));
  };

  /** The item that the condition refused; undefined where something was in the way that will pass. */
  const refusalOf = (error: unknown): { item: Refused } | undefined => {
    if (error instanceof ConditionalCheckFailedException) return { item: error.Item };
    if (error instanceof TransactionCanceledException) return refusedBy(error);
    if (isTransactionConflict(error)) return undefined;
    throw error;
  };

  return async (organizationId: string, update: Update, proof: string, counted: 1 | 0 | -1 = 0): Promise<boolean> => {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      try {
        await send(organizationId, update, counted);
        return true;
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal !== undefined) return refusal.item?.[proof]?.S === update.set[proof];
      }
      await pauseBeforeRetry(attempts);
    }
    throw new DomainError("store_unavailable", "The connection changes too fast. Try again.");
  };
};
