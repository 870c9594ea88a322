import { type AttributeValue, ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { type Circuit, newCircuit } from "./circuit.ts";
import { parseCircuit } from "./circuit-item.ts";
import { circuitKey, HELD_SHARD, INDEX_SHARDS, NOT_CLOSED_INDEX } from "./circuit-keys.ts";
import { type OperatorWrite, operate } from "./operate.ts";
import { announcedExpressions, forgottenExpressions, operatorExpressions } from "./operator-expressions.ts";
import type { WriteAnswer } from "./rounds.ts";
import type { UpdateExpressions } from "./update-expressions.ts";
import { writeExpressions } from "./write-expressions.ts";
import type { CircuitWrite } from "./writes.ts";

/** The item that a refusal gives back is as DynamoDB sends it: the document client translates answers only. */
const plain = (value: AttributeValue): unknown => {
  if (value.N !== undefined) return Number(value.N);
  if (value.L !== undefined) return value.L.map(plain);
  if (value.M !== undefined) return plainItem(value.M);
  return value.S;
};
const plainItem = (item: Record<string, AttributeValue>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));

/** Without an item there was nothing before an update, which some engines say by an item of its key alone. */
const circuitOf = (item: Record<string, unknown> = {}): Circuit =>
  item.st === undefined ? newCircuit : parseCircuit(item);

/** Circuits that are open and half-open now. */
export type OpenCircuits = { open: number; halfOpen: number };

export type CircuitStore = ReturnType<typeof createCircuitStore>;

/**
 * The circuits of all organizations: items in circuit-item.ts, keys and index in circuit-keys.ts. All calls throw
 * DomainError `store_unavailable` when the table does not answer in `deadlineMs`.
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
    try {
      const { Attributes, $metadata } = await callStore((options) => client.send(command, options), deadlineMs);
      return { applied: true, circuit: circuitOf(Attributes), isRepeat: ($metadata.attempts ?? 1) > 1 };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const circuit = circuitOf(error.Item && plainItem(error.Item));
      return { applied: false, circuit, isRepeat: (error.$metadata.attempts ?? 1) > 1 };
    }
  };

  /** Counts the entries of one partition of the index, and those of them that the filter takes. */
  const count = async (shard: string, filter: string, now: number) => {
    const counts = { all: 0, filtered: 0 };
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({
        TableName: tableName,
        IndexName: NOT_CLOSED_INDEX,
        Select: "COUNT",
        KeyConditionExpression: "#sh = :shard",
        FilterExpression: filter,
        ExpressionAttributeNames: { "#sh": "sh", "#ou": "ou" },
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
    /** The circuit as it is, read strongly: one read unit. */
    async read(organizationId: string, deadlineMs?: number): Promise<Circuit> {
      const command = new GetCommand({
        TableName: tableName,
        Key: { id: circuitKey(organizationId) },
        ConsistentRead: true,
      });
      const { Item } = await callStore((options) => client.send(command, options), deadlineMs);
      return circuitOf(Item);
    },

    /** Carries out an automatic change if its condition holds: one write unit, two where the index changes. */
    write: (organizationId: string, write: CircuitWrite, deadlineMs?: number): Promise<WriteAnswer> =>
      update(organizationId, writeExpressions(organizationId, write), "ALL_NEW", deadlineMs),

    /**
     * Carries out an operator's action, whatever the circuit is: one write unit, up to three with the index.
     * @returns the circuit before and after. `before` is unknown where the answer of a first attempt was lost.
     */
    async operate(
      organizationId: string,
      write: OperatorWrite,
    ): Promise<{ before: Circuit | undefined; after: Circuit }> {
      const answer = await update(organizationId, operatorExpressions(organizationId, write), "ALL_OLD");
      if (!answer.applied) return { before: undefined, after: answer.circuit };
      return { before: answer.circuit, after: operate(answer.circuit, write) };
    },

    /** Forgets the beginnings before a generation, if the circuit is still as given: one write unit. */
    markAnnounced: (organizationId: string, circuit: Circuit, upTo: number): Promise<WriteAnswer> =>
      update(organizationId, announcedExpressions(circuit, upTo), "ALL_NEW"),

    /** Removes an operator's id and reasons from the circuit, if it is still as given: one write unit. */
    forget: (organizationId: string, circuit: Circuit, userId: string): Promise<WriteAnswer> =>
      update(organizationId, forgottenExpressions(circuit, userId), "ALL_NEW"),

    /** How many circuits are open and half-open: half a read unit per 4 KB of an index's entries, 31 bytes each. */
    async countOpen(now: number): Promise<OpenCircuits> {
      const [held, ...shards] = await Promise.all([
        count(HELD_SHARD, "attribute_not_exists(#ou) OR #ou > :now", now),
        ...INDEX_SHARDS.map((shard) => count(shard, "#ou > :now", now)),
      ]);
      const open = shards.reduce((sum, { filtered }) => sum + filtered, 0);
      const halfOpen = shards.reduce((sum, { all, filtered }) => sum + all - filtered, 0);
      return { open: open + held.filtered, halfOpen };
    },
  };
};
