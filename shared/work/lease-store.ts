import { type Item, type Table, type Update, updateItem } from "../runtime/table.ts";
import type { ScopeKeyTable } from "../terms/tables.ts";
import { LEASE_MS, LeaseLostError, type LeaseOwner } from "./lease.ts";

/** What a subject writes together with the lease, and the condition of the subject that must hold as well. */
export type JobUpdate = Pick<Update, "set" | "remove" | "condition" | "values">;

type Key = { scope: string; key: string };

const ownerText = ({ delivery, attempt }: LeaseOwner): string => `${delivery} ${attempt}`;

const isExpired = "attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now";
const isOfSameDelivery = "begins_with(#leaseOwner, :delivery)";
const isNotOwn = "(attribute_not_exists(#leaseOwner) OR #leaseOwner <> :owner)";
const isOwn = "#leaseOwner = :owner";

const both = (one: string, other: string | undefined): string => (other === undefined ? one : `${other} AND ${one}`);

/** The attributes of a lease that begins at `now`, epoch ms: for a write that creates a job and takes its lease at once. */
export const newLease = (owner: LeaseOwner, now: number) => ({
  leaseOwner: ownerText(owner),
  leaseUntil: now + LEASE_MS,
});

/**
 * The leases of the jobs in a table. Times are epoch ms. Each call costs one write unit per KB of the item, two where an
 * index changes. All throw DomainError `store_unavailable`.
 */
export const createLeaseStore = (table: Table<ScopeKeyTable>) => {
  const update = async (key: Key, change: Update & { own?: string }): Promise<Item | undefined> => {
    const { written, item } = await updateItem(table, key, { ...change, returns: "after" });
    return written ? item : undefined;
  };

  const updateAsOwner = (key: Key, owner: LeaseOwner, { condition, values, ...change }: JobUpdate) =>
    update(key, { ...change, condition: both(isOwn, condition), values: { ...values, owner: ownerText(owner) } });

  /** Changes the job and leaves the lease as it is, for instance to end the job. @throws LeaseLostError. */
  const write = async (key: Key, owner: LeaseOwner, also: JobUpdate): Promise<void> => {
    if ((await updateAsOwner(key, owner, also)) === undefined) throw new LeaseLostError();
  };

  return {
    /** Any conditional update of a job. @returns the item after it; undefined if the condition does not hold. */
    update,
    write,

    /**
     * An owner takes a lease once, so `takes` counts an attempt once whose answer was lost:
     *
     *     worker: take ──(takes: 1)──✗ answer lost      take again ── refused: the lease is its own ── works on
     *
     * The end of a job removes its owner, so an item with this owner is the one that the first attempt wrote.
     * @returns the item with the lease taken; undefined if another worker holds the lease or `also` does not hold.
     */
    take: (key: Key, owner: LeaseOwner, now: number, { set, remove, condition, values }: JobUpdate) =>
      update(key, {
        set: { ...newLease(owner, now), ...set },
        add: { takes: 1 },
        remove: remove ?? [],
        condition: both(`${isNotOwn} AND (${isExpired} OR ${isOfSameDelivery})`, condition),
        values: { ...values, now, owner: ownerText(owner), delivery: ownerText({ ...owner, attempt: "" }) },
        own: "leaseOwner",
      }),

    /** Renews the lease, and stores a checkpoint if there is one. @throws LeaseLostError. */
    renew: (key: Key, owner: LeaseOwner, now: number, also: JobUpdate = {}): Promise<void> =>
      write(key, owner, { ...also, set: { leaseUntil: now + LEASE_MS, ...also.set } }),

    /** Frees the lease if this owner still holds it: the next worker takes the job at once. */
    async release(key: Key, owner: LeaseOwner, also: Pick<JobUpdate, "condition" | "values"> = {}): Promise<void> {
      await updateAsOwner(key, owner, { ...also, set: { leaseUntil: 0 }, remove: ["leaseOwner"] });
    },
  };
};
