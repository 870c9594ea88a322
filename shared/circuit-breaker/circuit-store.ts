import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  UpdateCommand,
  type UpdateCommandOutput,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore, isTransactionConflict } from "../runtime/call-store.ts";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItems } from "../runtime/get-items.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { CIRCUITS_NOT_CLOSED } from "../terms/indexes.ts";
import { type Circuit, newCircuit } from "./circuit.ts";
import { type UpdateExpressions, writeExpressions } from "./circuit-expressions.ts";
import { parseCircuit } from "./circuit-item.ts";
import {
  circuitKey,
  HELD_SHARD,
  INDEX_SHARDS,
  indexAttributes,
  UNCONNECTED_HELD_SHARD,
  UNCONNECTED_SHARD,
} from "./circuit-keys.ts";
import type { CircuitWrite, WriteAnswer } from "./decide.ts";
import { announcedExpressions, forgottenExpressions, operatorExpressions } from "./operator-expressions.ts";
import { type OperatorWrite, operate } from "./reduce.ts";

/** Some engines return the key alone for an item that did not exist before the update. */
const circuitOf = (item: Record<string, unknown> = {}): Circuit =>
  item.state === undefined ? newCircuit : parseCircuit(item);

const AnnouncedItem = z.object({
  id: z.string(),
  generation: z.optional(z.number()),
  announced: z.optional(z.number()),
});

/** Attempts of a write that conflicts with the transaction that connects or disconnects the organization. */
const MAX_ATTEMPTS = 3;

/**
 * Open and half-open circuits at a time. `unconnected` of them belong to organizations without a connection; operators
 * hold `held` of the open ones.
 */
export type OpenCircuits = { open: number; halfOpen: number; unconnected: number; held: number };

export type CircuitStore = ReturnType<typeof createCircuitStore>;

/**
 * The circuits of all organizations: items in circuit-item.ts, keys and index in circuit-keys.ts. All calls throw
 * DomainError `store_unavailable` if the table does not answer within `deadlineMs`.
 */
export const createCircuitStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const update = async (
    organizationId: string,
    expressions: UpdateExpressions,
    returns: "ALL_NEW" | "ALL_OLD",
    deadlineMs?: number,
  ): Promise<WriteAnswer> => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: { id: circuitKey(organizationId) },
      ...expressions,
      ReturnValues: returns,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    const send = async (attempts: number): ReturnType<typeof conditionalWrite<UpdateCommandOutput>> => {
      try {
        return await conditionalWrite((options) => client.send(command, options), deadlineMs);
      } catch (error) {
        if (!isTransactionConflict(error) || attempts === MAX_ATTEMPTS) throw error;
        await pauseBeforeRetry(attempts);
        return send(attempts + 1);
      }
    };
    const result = await send(1);
    const item = result.written ? result.output.Attributes : result.item;
    return { applied: result.written, circuit: circuitOf(item), isRepeat: result.isRepeated };
  };

  /** Counts the entries of one partition of the index, and those of them that match the filter. */
  const countEntries = async (shard: string, filter: string, now: number) => {
    const counts = { all: 0, filtered: 0 };
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({
        TableName: tableName,
        IndexName: CIRCUITS_NOT_CLOSED.name,
        Select: "COUNT",
        KeyConditionExpression: "#shard = :shard",
        FilterExpression: filter,
        ExpressionAttributeNames: indexAttributes,
        ExpressionAttributeValues: { ":shard": shard, ":now": now },
        ...(start && { ExclusiveStartKey: start }),
      });
      const page = await callStore((options) => client.send(command, options));
      counts.all += page.ScannedCount ?? 0;
      counts.filtered += page.Count ?? 0;
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    return counts;
  };

  return {
    /** Reads the circuit strongly consistent: one read unit. */
    async read(organizationId: string, deadlineMs?: number): Promise<Circuit> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { id: circuitKey(organizationId) },
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options), deadlineMs);
      return circuitOf(Item);
    },

    /** Applies an automatic change if its condition holds: one write unit, two if the index changes. */
    write: (organizationId: string, write: CircuitWrite, deadlineMs?: number): Promise<WriteAnswer> =>
      update(organizationId, writeExpressions(organizationId, write), "ALL_NEW", deadlineMs),

    /**
     * Applies an operator's action in every state: one write unit, up to three with the index.
     * @returns the circuit before and after. `before` is undefined if the answer of a first attempt was lost.
     */
    async operate(
      organizationId: string,
      write: OperatorWrite,
    ): Promise<{ before: Circuit | undefined; after: Circuit }> {
      const answer = await update(organizationId, operatorExpressions(organizationId, write), "ALL_OLD");
      if (!answer.applied) return { before: undefined, after: answer.circuit };
      return { before: answer.circuit, after: operate(answer.circuit, write) };
    },

    /**
     * Those of the organizations whose circuits have transitions that are not announced. May lag by a second; half a read
     * unit for each circuit that was ever written.
     */
    async withUnannounced(organizationIds: readonly string[]): Promise<string[]> {
      const byKey = new Map(organizationIds.map((organizationId) => [circuitKey(organizationId), organizationId]));
      const { items } = await getItems(
        client,
        tableName,
        [...byKey.keys()].map((id) => ({ id })),
        {
          ProjectionExpression: "#id, #generation, #announced",
          ExpressionAttributeNames: { "#id": "id", "#generation": "generation", "#announced": "announced" },
        },
      );
      return items.flatMap((item) => {
        const { id, generation = 0, announced = 0 } = AnnouncedItem.parse(item);
        return generation > announced ? (byKey.get(id) ?? []) : [];
      });
    },

    /** Marks generations up to `upTo` as announced if the circuit is unchanged: one write unit. */
    markAnnounced: (organizationId: string, circuit: Circuit, upTo: number): Promise<WriteAnswer> =>
      update(organizationId, announcedExpressions(circuit, upTo), "ALL_NEW"),

    /**
     * Removes a user's id and reasons if the circuit is unchanged: one write unit.
     * @param namesThem whether a reason that another user gave names the user.
     */
    forget: (
      organizationId: string,
      circuit: Circuit,
      userId: string,
      namesThem?: (reason: string) => boolean,
    ): Promise<WriteAnswer> => update(organizationId, forgottenExpressions(circuit, userId, namesThem), "ALL_NEW"),

    /** Counts the circuits that are not closed, by the index: half a read unit per 4 KB of entries. May lag. */
    async countOpen(now: number): Promise<OpenCircuits> {
      const countTimed = (shard: string) => countEntries(shard, "#until > :now", now);
      const countHeld = (shard: string) => countEntries(shard, "attribute_not_exists(#until) OR #until > :now", now);
      const [connected, unconnected, held, unconnectedHeld] = await Promise.all([
        Promise.all(INDEX_SHARDS.map(countTimed)),
        countTimed(UNCONNECTED_SHARD),
        countHeld(HELD_SHARD),
        countHeld(UNCONNECTED_HELD_SHARD),
      ]);
      const shards = [...connected, unconnected];
      const open = shards.reduce((sum, { filtered }) => sum + filtered, 0);
      const heldOpen = held.filtered + unconnectedHeld.filtered;
      return {
        open: open + heldOpen,
        held: heldOpen,
        halfOpen: shards.reduce((sum, { all }) => sum + all, 0) - open,
        unconnected: unconnected.all + unconnectedHeld.filtered,
      };
    },
  };
};
