import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { renderUpdate, type Update } from "../runtime/render-update.ts";
import { LEASE_MS, LeaseLostError, type LeaseOwner } from "./lease.ts";

/** What a subject writes beside the lease, and the condition of its own that must hold as well. */
export type JobUpdate = Partial<Pick<Update, "set" | "remove" | "condition" | "values">>;

type Key = Readonly<Record<string, string>>;
type Item = Record<string, unknown>;

const ownerText = ({ delivery, attempt }: LeaseOwner): string => `${delivery} ${attempt}`;

const FREE = "(attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now OR begins_with(#leaseOwner, :delivery))";

const NOT_OWN = "(attribute_not_exists(#leaseOwner) OR #leaseOwner <> :owner)";

const both = (one: string, other: string | undefined): string => (other === undefined ? one : `${other} AND ${one}`);

/** The attributes of a lease that begins at `now`, epoch ms: for a write that creates a job and takes its lease at once. */
export const newLease = (owner: LeaseOwner, now: number) => ({
  ...{ leaseOwner: ownerText(owner), leaseUntil: now + LEASE_MS },
});

export type LeaseStore = ReturnType<typeof createLeaseStore>;

/**
 * The leases of the jobs in a table. Times are epoch ms. Each call costs one write unit per KB of the item, two where an
 * index changes. All throw DomainError `store_unavailable`.
 */
export const createLeaseStore = (client: DynamoDBDocumentClient, tableName: string) => {
  const attempt = async (key: Key, change: Update) => {
    const command = new UpdateCommand({
      ...{ TableName: tableName, Key: key, ReturnValues: "ALL_NEW" as const },
      ...{ ...renderUpdate(change), ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const },
    });
    const result = await conditionalWrite((options) => client.send(command, options));
    return result.written ? { after: result.output.Attributes ?? {} } : { refused: result.item };
  };

  /** @returns the item after the update; undefined if the condition does not hold. */
  const update = async (key: Key, change: Update): Promise<Item | undefined> => (await attempt(key, change)).after;

  const updateAsOwner = (key: Key, owner: LeaseOwner, { set = {}, remove = [], condition, values }: JobUpdate) =>
    update(key, {
      ...{ set, remove, condition: both("#leaseOwner = :owner", condition) },
      values: { ...values, owner: ownerText(owner) },
    });

  /** Changes the job and leaves the lease as it is, for instance to end the job. @throws LeaseLostError. */
  const write = async (key: Key, owner: LeaseOwner, also: JobUpdate): Promise<void> => {
    if ((await updateAsOwner(key, owner, also)) === undefined) throw new LeaseLostError();
  };

  return {
    /** Any conditional update of a job. @returns the item after it; undefined if the condition does not hold. */
    update,
    write,

    /**
     * An owner takes a lease once: an attempt whose answer was lost is not counted again in `takes`.
     * @returns the item with the lease taken; undefined if another worker holds the lease or `also` does not hold.
     */
    async take(key: Key, owner: LeaseOwner, now: number, also: JobUpdate): Promise<Item | undefined> {
      const { set, remove = [], condition, values } = also;
      const { after, refused } = await attempt(key, {
        set: { ...newLease(owner, now), ...set },
        add: { takes: 1 },
        ...{ remove, condition: both(`${NOT_OWN} AND ${FREE}`, condition) },
        values: { ...values, now, owner: ownerText(owner), delivery: ownerText({ ...owner, attempt: "" }) },
      });
      // The end of a job removes its owner, so an item with this owner is as an earlier attempt of this call left it.
      return refused?.leaseOwner === ownerText(owner) ? refused : after;
    },

    /** Renews the lease, and stores a checkpoint if there is one. @throws LeaseLostError. */
    renew: (key: Key, owner: LeaseOwner, now: number, also: JobUpdate = {}): Promise<void> =>
      write(key, owner, { ...also, set: { leaseUntil: now + LEASE_MS, ...also.set } }),

    /** Frees the lease if this owner still holds it: the next worker takes the job at once. */
    async release(key: Key, owner: LeaseOwner, also: Pick<JobUpdate, "condition" | "values"> = {}): Promise<void> {
      await updateAsOwner(key, owner, { ...also, set: { leaseUntil: 0 }, remove: ["leaseOwner"] });
    },
  };
};
