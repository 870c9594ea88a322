import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { callStore } from "../runtime/call-store.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { type ActiveRun, activeShardOf, parseState, type SyncState, stateKey } from "./sync-item.ts";

/** A worker that is silent for so long is dead. Longer than one operation of the provider and the writes after it. */
export const LEASE_MS = 45_000;

/**
 * Whose a lease is: the delivery that asked for the work, and the attempt at it. A delivery comes again when its
 * worker died or nobody knows, so it may take over from itself at once.
 */
export type LeaseOwner = { delivery: string; attempt: string };

const ownerText = ({ delivery, attempt }: LeaseOwner): string => `${delivery} ${attempt}`;

/** A run that is the worker's, and what is known beside it. */
export type TakenRun = { run: ActiveRun } & Pick<SyncState, "cursor" | "lastSuccessAt"> & { takes: number };

/** The run is another worker's, or over: whoever meets this stops, and says nothing. */
export class RunLostError extends Error {
  override readonly name = "RunLostError";
}

const takenRun = ({ run, takes = 1, cursor, lastSuccessAt }: SyncState): TakenRun | undefined =>
  run && {
    run,
    takes,
    ...(cursor !== undefined && { cursor }),
    ...(lastSuccessAt !== undefined && { lastSuccessAt }),
  };

export type SyncLeaseStore = ReturnType<typeof createSyncLeaseStore>;

/**
 * Who works on an organization's run. A worker holds the lease for LEASE_MS from its last write on; times are epoch ms.
 * Each call is one write unit per KB of the item (sync-item.ts), two where the index changes. All throw DomainError
 * `store_unavailable` when the table does not answer.
 */
export const createSyncLeaseStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** @returns the item as it is afterwards; undefined where the condition does not hold. */
  const write = async (organizationId: string, update: Update): Promise<SyncState | undefined> => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: stateKey(organizationId),
      ...renderUpdate(update),
      ReturnValues: "ALL_NEW",
    });
    try {
      const { Attributes } = await callStore((options) => client.send(command, options));
      return parseState(Attributes);
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  };

  const readState = async (organizationId: string): Promise<SyncState> => {
    const command = new GetCommand({ TableName: tableName, Key: stateKey(organizationId), ConsistentRead: true });
    const { Item } = await callStore((options) => client.send(command, options));
    return parseState(Item);
  };

  /** @throws RunLostError where the lease is not this owner's any more. */
  const hold = async (organizationId: string, runId: string, owner: LeaseOwner, now: number, run?: ActiveRun) => {
    const leaseUntil = now + LEASE_MS;
    const held = await write(organizationId, {
      set: { leaseUntil, ...(run !== undefined && { run, activeShard: activeShardOf(organizationId) }) },
      ...(run !== undefined && { remove: ["takes"] }),
      condition: "#run.#id = :id AND #leaseOwner = :owner",
      values: { id: runId, owner: ownerText(owner) },
    });
    if (held === undefined) throw new RunLostError("The run is another worker's, or over.");
  };

  return {
    /**
     * Begins a run for an occurrence of the schedule and takes its lease, in one write; the index hears of it when it
     * takes longer than a page.
     * @param run as it would be; its mode and work are set by whether there is a cursor.
     * @returns the run; else the id of the run that is under way; else undefined: the occurrence had its run.
     */
    async begin(
      organizationId: string,
      { run, slot, owner, now }: { run: ActiveRun; slot: number; owner: LeaseOwner; now: number },
    ): Promise<TakenRun | { underWay: string } | undefined> {
      const begun = await write(organizationId, {
        set: { run, slot, leaseOwner: ownerText(owner), leaseUntil: now + LEASE_MS, takes: 1 },
        condition: "attribute_not_exists(#run) AND (attribute_not_exists(#slot) OR #slot < :slot)",
        values: { slot },
      });
      const state = begun ?? (await readState(organizationId));
      // Where it was refused, it may be by our own first try, whose answer was lost.
      if (begun !== undefined || state.run?.id === run.id) return takenRun(state);
      return state.run && { underWay: state.run.id };
    },

    /** Takes a run's lease. @returns undefined where another holds it, or the run is over. */
    async take(organizationId: string, runId: string, owner: LeaseOwner, now: number): Promise<TakenRun | undefined> {
      const state = await write(organizationId, {
        set: { leaseOwner: ownerText(owner), leaseUntil: now + LEASE_MS },
        add: { takes: 1 },
        condition:
          "#run.#id = :id AND (attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now OR begins_with(#leaseOwner, :own))",
        values: { id: runId, now, own: ownerText({ ...owner, attempt: "" }) },
      });
      return state && takenRun(state);
    },

    /** Keeps the lease. @throws RunLostError. */
    renew: (organizationId: string, runId: string, owner: LeaseOwner, now: number): Promise<void> =>
      hold(organizationId, runId, owner, now),

    /** Stores how far the run is, and keeps the lease. @throws RunLostError. */
    checkpoint: (organizationId: string, run: ActiveRun, owner: LeaseOwner, now: number): Promise<void> =>
      hold(organizationId, run.id, owner, now, run),

    /** Gives the lease back, if it is still this owner's: whoever comes next takes it at once. */
    async release(organizationId: string, runId: string, owner: LeaseOwner): Promise<void> {
      await write(organizationId, {
        set: { leaseUntil: 0 },
        remove: ["leaseOwner"],
        condition: "#run.#id = :id AND #leaseOwner = :owner",
        values: { id: runId, owner: ownerText(owner) },
      });
    },
  };
};
