import { type AttributeValue, ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  type DynamoDBDocumentClient,
  GetCommand,
  UpdateCommand,
  type UpdateCommandOutput,
} from "@aws-sdk/lib-dynamodb";
import { callStore, isTransactionConflict } from "../runtime/call-store.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { type Circuit, newCircuit } from "./circuit.ts";
import { parseCircuit } from "./circuit-item.ts";
import { circuitKey } from "./circuit-keys.ts";
import { createOpenCircuitCounter } from "./open-circuits-store.ts";
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

/** A write is tried so often where it meets a transaction that connects or disconnects the organization. */
const MAX_ATTEMPTS = 3;

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
    const send = async (attempts: number): Promise<UpdateCommandOutput> => {
      try {
        return await callStore((options) => client.send(command, options), deadlineMs);
      } catch (error) {
        if (!isTransactionConflict(error) || attempts === MAX_ATTEMPTS) throw error;
        await pauseBeforeRetry(attempts);
        return send(attempts + 1);
      }
    };
    try {
      const { Attributes, $metadata } = await send(1);
      return { applied: true, circuit: circuitOf(Attributes), isRepeat: ($metadata.attempts ?? 1) > 1 };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const circuit = circuitOf(error.Item && plainItem(error.Item));
      return { applied: false, circuit, isRepeat: (error.$metadata.attempts ?? 1) > 1 };
    }
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

    /**
     * Removes an operator's id and reasons from the circuit, if it is still as given: one write unit.
     * @param namesThem whether a reason that another gave names them.
     */
    forget: (
      organizationId: string,
      circuit: Circuit,
      userId: string,
      namesThem?: (reason: string) => boolean,
    ): Promise<WriteAnswer> => update(organizationId, forgottenExpressions(circuit, userId, namesThem), "ALL_NEW"),

    countOpen: createOpenCircuitCounter(client, tableName),
  };
};
