import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { LEASE_MS, LeaseLostError, type LeaseOwner } from "../work/lease.ts";
import type { Removed } from "./erasure.ts";
import { erasureKey, OPEN_ATTRIBUTES, parseErasure, type StoredErasure } from "./erasure-item.ts";
import type { Checkpoint } from "./passes.ts";

const ownerText = ({ delivery, attempt }: LeaseOwner): string => `${delivery} ${attempt}`;

export type ErasureLeaseStore = ReturnType<typeof createErasureLeaseStore>;

/**
 * Who works on an erasure, as with sync runs (shared/work/lease.ts): for LEASE_MS from the last write on. Times
 * are epoch ms. Each call is a write unit per KB. All throw DomainError `store_unavailable`; what needs the lease throws
 * LeaseLostError where it is another's, or the erasure is completed.
 */
export const createErasureLeaseStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** @returns the item as it is afterwards; undefined where the condition does not hold. */
  const write = async (organizationId: string, erasureId: string, update: Update): Promise<unknown> => {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: erasureKey(organizationId, erasureId),
      ...renderUpdate(update),
      ReturnValues: "ALL_NEW",
    });
    const result = await conditionalWrite((options) => client.send(command, options));
    return result.written ? result.output.Attributes : undefined;
  };

  const own = (owner: LeaseOwner) => ({ condition: "#leaseOwner = :owner", values: { owner: ownerText(owner) } });

  const hold = async (organizationId: string, erasureId: string, owner: LeaseOwner, set: Update["set"]) => {
    const held = await write(organizationId, erasureId, { set, ...own(owner) });
    if (held === undefined) throw new LeaseLostError();
  };

  return {
    /** @returns undefined where another holds the lease, or the erasure is completed. */
    async take(
      organizationId: string,
      erasureId: string,
      owner: LeaseOwner,
      now: number,
    ): Promise<StoredErasure | undefined> {
      const item = await write(organizationId, erasureId, {
        set: { leaseOwner: ownerText(owner), leaseUntil: now + LEASE_MS, status: "running" },
        add: { takes: 1 },
        condition: [
          "attribute_exists(#openShard)",
          "(attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now OR begins_with(#leaseOwner, :own))",
        ].join(" AND "),
        values: { now, own: ownerText({ ...owner, attempt: "" }) },
      });
      return item === undefined ? undefined : parseErasure(item);
    },

    /** Keeps the lease. */
    renew: (organizationId: string, erasureId: string, owner: LeaseOwner, now: number): Promise<void> =>
      hold(organizationId, erasureId, owner, { leaseUntil: now + LEASE_MS }),

    /** Stores how far the erasure is, and keeps the lease. */
    checkpoint: (
      organizationId: string,
      { id, work, removed }: Checkpoint & { id: string },
      owner: LeaseOwner,
      now: number,
    ): Promise<void> => hold(organizationId, id, owner, { work, removed, leaseUntil: now + LEASE_MS }),

    /** Gives the lease back, if it is still this owner's: whoever comes next takes it at once. */
    async release(organizationId: string, erasureId: string, owner: LeaseOwner): Promise<void> {
      await write(organizationId, erasureId, { set: { leaseUntil: 0 }, remove: ["leaseOwner"], ...own(owner) });
    },

    /** Says that all is gone, and forgets whose data it was. */
    async complete(
      organizationId: string,
      { id, removed, completedAt }: { id: string; removed: Removed; completedAt: number },
      owner: LeaseOwner,
    ): Promise<void> {
      const set = { status: "completed", completedAt, removed };
      const done = await write(organizationId, id, { set, remove: OPEN_ATTRIBUTES, ...own(owner) });
      if (done === undefined) throw new LeaseLostError();
    },
  };
};
