import * as z from "zod/mini";
import { isTransactionConflict } from "../runtime/call-store.ts";
import { pauseBeforeRetry } from "../runtime/retry-pause.ts";
import { getItem, type Table, type Update, updateItem, type WriteResult } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { countItems } from "../runtime/table-query.ts";
import { CIRCUITS_NOT_CLOSED } from "../terms/tables.ts";
import { type Circuit, newCircuit } from "./circuit.ts";
import { parseCircuit } from "./circuit-item.ts";
import {
  circuitKey,
  HELD_SHARD,
  INDEX_SHARDS,
  indexNames,
  UNCONNECTED_HELD_SHARD,
  UNCONNECTED_SHARD,
} from "./circuit-keys.ts";
import { writeUpdate } from "./circuit-updates.ts";
import type { CircuitWrite, WriteAnswer } from "./decide.ts";
import { announcedUpdate, forgottenUpdate, operatorUpdate } from "./operator-updates.ts";
import { type OperatorWrite, operate } from "./reduce.ts";

/** Some engines return the key alone for an item that did not exist before the update. */
const circuitOf = (item: Readonly<Record<string, unknown>> = {}): Circuit =>
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
export const createCircuitStore = (table: Table<"circuits">) => {
  const update = async (
    organizationId: string,
    change: Update,
    returns: "after" | "before",
    deadlineMs?: number,
  ): Promise<WriteAnswer> => {
    const send = async (attempts: number): Promise<WriteResult> => {
      try {
        return await updateItem(table, { id: circuitKey(organizationId) }, { ...change, returns, deadlineMs });
      } catch (error) {
        if (!isTransactionConflict(error) || attempts === MAX_ATTEMPTS) throw error;
        await pauseBeforeRetry(attempts);
        return send(attempts + 1);
      }
    };
    const { written, item, isRepeated } = await send(1);
    return { applied: written, circuit: circuitOf(item), isRepeat: isRepeated };
  };

  /** Counts the entries of one partition of the index, and those of them that match the filter. */
  const countEntries = (shard: string, filter: string, now: number) =>
    countItems(table, {
      index: CIRCUITS_NOT_CLOSED,
      where: "#shard = :shard",
      filter,
      values: { shard, now },
      names: indexNames,
    });

  return {
    /** Reads the circuit strongly consistent: one read unit. */
    read: async (organizationId: string, deadlineMs?: number): Promise<Circuit> =>
      circuitOf(await getItem(table, { id: circuitKey(organizationId) }, { deadlineMs })),

    /** Applies an automatic change if its condition holds: one write unit, two if the index changes. */
    write: (organizationId: string, write: CircuitWrite, deadlineMs?: number): Promise<WriteAnswer> =>
      update(organizationId, writeUpdate(organizationId, write), "after", deadlineMs),

    /**
     * Applies an operator's action in every state: one write unit, up to three with the index.
     * @returns the circuit before and after. `before` is undefined if the answer of a first attempt was lost.
     */
    async operate(
      organizationId: string,
      write: OperatorWrite,
    ): Promise<{ before: Circuit | undefined; after: Circuit }> {
      const answer = await update(organizationId, operatorUpdate(organizationId, write), "before");
      if (!answer.applied) return { before: undefined, after: answer.circuit };
      return { before: answer.circuit, after: operate(answer.circuit, write) };
    },

    /**
     * Those of the organizations whose circuits have transitions that are not announced. May lag by a second; half a read
     * unit for each circuit that was ever written.
     */
    async withUnannounced(organizationIds: readonly string[]): Promise<string[]> {
      const byKey = new Map(organizationIds.map((organizationId) => [circuitKey(organizationId), organizationId]));
      const keys = [...byKey.keys()].map((id) => ({ id }));
      const { items } = await getItems(table, keys, { attributes: ["id", "generation", "announced"] });
      return items.flatMap((item) => {
        const { id, generation = 0, announced = 0 } = AnnouncedItem.parse(item);
        return generation > announced ? (byKey.get(id) ?? []) : [];
      });
    },

    /** Marks generations up to `upTo` as announced if the circuit is unchanged: one write unit. */
    markAnnounced: (organizationId: string, circuit: Circuit, upTo: number): Promise<WriteAnswer> =>
      update(organizationId, announcedUpdate(circuit, upTo), "after"),

    /**
     * Removes a user's id and reasons if the circuit is unchanged: one write unit.
     * @param namesThem whether a reason that another user gave names the user.
     */
    forget: (
      organizationId: string,
      circuit: Circuit,
      userId: string,
      namesThem?: (reason: string) => boolean,
    ): Promise<WriteAnswer> => update(organizationId, forgottenUpdate(circuit, userId, namesThem), "after"),

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
