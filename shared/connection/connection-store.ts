/** The table of connections: reads, the claim on stored records, and the conditional write. Items: connection-item.ts. */
import { type DynamoDBDocumentClient, GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import type { ConnectionMarkStore } from "../circuit-breaker/connection-mark-store.ts";
import { callStore, isTransactionConflict } from "../runtime/call-store.ts";
import { conditionalTransaction, conditionalWrite } from "../runtime/conditional-write.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { CONNECTED_ORGANIZATIONS } from "../terms/indexes.ts";
import { organizationIdOf, organizationKey } from "../terms/keys.ts";
import { readIndex } from "../work/sharded-index-store.ts";
import {
  CONNECTED_COUNT_KEY,
  type ConnectedItem,
  connectedShards,
  parseConnection,
  type StoredConnection,
} from "./connection-item.ts";

export type ConnectionStore = ReturnType<typeof createConnectionStore>;

/** The connection of each organization. connection-change-store.ts changes it. */
export const createConnectionStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * Reads the connection strongly consistent: one read unit. `disconnected` if there never was one.
   * @throws DomainError `store_unavailable`.
   */
  async read(organizationId: string): Promise<StoredConnection> {
    const command = new GetCommand({
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ConsistentRead: true,
    });
    const { Item } = await callStore((options) => client.send(command, options));
    return parseConnection(Item);
  },
});

const Count = z.object({ n: z.number() });
const Entry = z.object({ id: z.string() });

/** The connected organizations. Both throw DomainError `store_unavailable`, and may lag by a second. */
export const createConnectedStore = (client: DynamoDBDocumentClient, tableName: string) => ({
  /**
   * All connected organizations, each once, shard by shard, in no order. Half a read unit per 4 KB of the index, which
   * has about 60 bytes per organization.
   */
  async *connectedOrganizations(): AsyncGenerator<string, void, void> {
    const entries = readIndex(client, tableName, { ...CONNECTED_ORGANIZATIONS, shards: connectedShards });
    for await (const item of entries) yield organizationIdOf(Entry.parse(item).id);
  },

  /** The number of connected organizations. Half a read unit. */
  async countConnected(): Promise<number> {
    const command = new GetCommand({ TableName: tableName, Key: { id: CONNECTED_COUNT_KEY } });
    const { Item } = await callStore((options) => client.send(command, options));
    return Item === undefined ? 0 : Count.parse(Item).n;
  },
});

/** An update in a transaction. */
type TransactUpdate = NonNullable<
  NonNullable<ConstructorParameters<typeof TransactWriteCommand>[0]["TransactItems"]>[number]["Update"]
>;

/** Transactions conflict at the count of connected organizations and at circuits, but rarely many times in a row. */
const MAX_ATTEMPTS = 12;

/**
 * Every change of an organization's item: conditional, and applied once even if an answer is lost. The returned function
 * resolves to whether this call made the change. One write unit; a counted change costs seven and one read unit, and two
 * more while the circuit is not closed.
 * - `proof`: an attribute that the change sets to a new value, which shows that the change is this call's.
 * - `counted`: what the change adds to the count of connected organizations. The same transaction marks the circuit.
 * - `beside`: reads what the other updates of the same transaction depend on, and makes them; again for each attempt.
 *
 * It throws DomainError `store_unavailable`, also if other transactions keep getting in the way.
 * @param marks required for counted changes.
 */
export const createConnectionWriter = (
  client: DynamoDBDocumentClient,
  tableName: string,
  marks?: Pick<ConnectionMarkStore, "mark">,
) => {
  type Attempt = { do: "written" } | { do: "refused"; item: Record<string, unknown> | undefined } | { do: "retry" };

  const writeOne = async (own: ConstructorParameters<typeof UpdateCommand>[0]): Promise<Attempt> => {
    try {
      const result = await conditionalWrite((options) => client.send(new UpdateCommand(own), options));
      return result.written ? { do: "written" } : { do: "refused", item: result.item };
    } catch (error) {
      if (isTransactionConflict(error)) return { do: "retry" };
      throw error;
    }
  };

  const countIn = async (organizationId: string, counted: 1 | 0 | -1): Promise<TransactUpdate[]> => {
    if (counted === 0) return [];
    const count = {
      TableName: tableName,
      Key: { id: CONNECTED_COUNT_KEY },
      UpdateExpression: "ADD #n :counted",
      ExpressionAttributeNames: { "#n": "n" },
      ExpressionAttributeValues: { ":counted": counted },
    };
    const mark = await marks?.mark(organizationId, counted > 0);
    return mark === undefined ? [count] : [count, mark];
  };

  const writeTogether = async (updates: readonly TransactUpdate[]): Promise<Attempt> => {
    const command = new TransactWriteCommand({
      ClientRequestToken: newRequestToken(),
      TransactItems: updates.map((update) => ({ Update: update })),
    });
    const result = await conditionalTransaction((options) => client.send(command, options));
    if (result.written) return { do: "written" };
    // Otherwise one of the other items changed since it was read, or another transaction held an item.
    const isRefused = result.failedConditions.has(0);
    return isRefused ? { do: "refused", item: result.failedConditions.get(0) } : { do: "retry" };
  };

  return async (
    organizationId: string,
    update: Update,
    proof: string,
    counted: 1 | 0 | -1 = 0,
    beside?: () => Promise<TransactUpdate[]>,
  ): Promise<boolean> => {
    const own = {
      TableName: tableName,
      Key: { id: organizationKey(organizationId) },
      ...renderUpdate(update),
      ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
    };
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const others = [...(await countIn(organizationId, counted)), ...((await beside?.()) ?? [])];
      const attempt = await (others.length === 0 ? writeOne(own) : writeTogether([own, ...others]));
      if (attempt.do === "written") return true;
      // If an answer was lost, the condition fails because of this call's own earlier attempt.
      if (attempt.do === "refused") return attempt.item?.[proof] === update.set[proof];
      await pauseBeforeRetry(attempts);
    }
    throw new DomainError("store_unavailable", "The connection changes too fast. Try again.");
  };
};

export type RecordsClaimStore = ReturnType<typeof createRecordsClaimStore>;

/**
 * The account whose records an organization stores: while there are records of one account, no other account can be
 * connected. One write unit a call; all throw DomainError `store_unavailable`.
 */
export const createRecordsClaimStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const write = createConnectionWriter(client, tableName);
  return {
    /**
     * Claims the organization's records for the account. Each run calls it before its first record; repeated calls are
     * allowed.
     * @returns false if the connection was replaced, removed, or must be made anew: then the run must not store records.
     */
    claimRecords: (
      organizationId: string,
      { connectionId, accountId }: Pick<ConnectedItem, "connectionId" | "accountId">,
    ): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { holdsRecordsOf: accountId, claimedBy: connectionId, token: newRequestToken() },
          condition: [
            "#connectionId = :own AND #accountId = :account AND attribute_exists(#connectedShard)",
            "(attribute_not_exists(#holdsRecordsOf) OR #holdsRecordsOf = :account)",
          ].join(" AND "),
          values: { own: connectionId, account: accountId },
        },
        // Not `claimedBy`: an earlier claim of a connection that has ended since has the same value.
        "token",
      ),

    /**
     * Releases the claim after all records are erased, so that another account can be connected.
     * @param claimedBy as read before the erasure began.
     * @returns false if a later connection has claimed the records: new ones may exist.
     */
    releaseRecords: (organizationId: string, claimedBy: string): Promise<boolean> =>
      write(
        organizationId,
        {
          set: { token: newRequestToken() },
          remove: ["holdsRecordsOf", "claimedBy"],
          condition: "#claimedBy = :claimedBy AND attribute_not_exists(#connectedShard)",
          values: { claimedBy },
        },
        "token",
      ),
  };
};
