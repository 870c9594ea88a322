import * as z from "zod/mini";
import { type Table, updateItem } from "../runtime/table.ts";
import { getItems } from "../runtime/table-batches.ts";
import { type Counts, noCounts, plus } from "./circuit.ts";
import { bucketKeys, globalBucketKeys } from "./circuit-keys.ts";

/**
 * One item per bucket (circuit-keys.ts). `t`, `f`, `r`: total, failed and rejected requests. `i<instance>`: sequence
 * number of the last addition of an instance, so that a resent addition counts once. No index, no expiry.
 */
const Bucket = z.object({ t: z.optional(z.int()), f: z.optional(z.int()), r: z.optional(z.int()) });

/** An addition is resent for at most five minutes (request-counter.ts); its sequence number stays three times as long. */
const SEQUENCE_LIFE_MS = 15 * 60_000;

/** Expired sequence numbers that one addition removes. */
const MAX_REMOVED = 20;

/**
 * Counts to add; negative counts are subtracted. `sequence`: a time in ms, greater than that of the instance's previous
 * addition to the bucket.
 */
export type Addition = { instance: string; sequence: number; counts: Counts };

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

/** The counts of requests. All calls throw DomainError `store_unavailable` if the table does not answer. */
export const createStatisticsStore = (table: Table<"circuits">) => {
  /** Attributes of instances that ended long ago, by bucket, as the last addition returned them. */
  const expired = new Map<string, string[]>();

  const readSum = async (keys: readonly string[], isConsistent: boolean): Promise<Counts> => {
    const wanted = keys.map((id) => ({ id }));
    const { items } = await getItems(table, wanted, { attributes: ["t", "f", "r"], isConsistent });
    return items.reduce<Counts>((sum, item) => {
      const { t = 0, f = 0, r = 0 } = Bucket.parse(item);
      return plus(sum, { total: t, failed: f, rejected: r });
    }, noCounts);
  };

  return {
    /** Adds to one bucket. The same addition counts once, however often it is sent. One write unit. */
    async add(bucket: string, { instance, sequence, counts }: Addition, deadlineMs?: number): Promise<void> {
      const removed = (expired.get(bucket) ?? []).filter((name) => name !== `i${instance}`).slice(0, MAX_REMOVED);
      const removedNames = Object.fromEntries(removed.map((name, index) => [`removed${index}`, name]));
      const { written, item = {} } = await updateItem(
        table,
        { id: bucket },
        {
          set: { own: sequence },
          add: { t: counts.total, f: counts.failed, r: counts.rejected },
          remove: Object.keys(removedNames),
          condition: "attribute_not_exists(#own) OR #own < :sequence",
          values: { sequence },
          names: { own: `i${instance}`, ...removedNames },
          returns: "after",
          deadlineMs,
        },
      );
      // The condition fails if an earlier attempt was applied and its answer was lost.
      if (!written) return;
      const isExpired = ([name, value]: [string, unknown]) =>
        name.startsWith("i") && name !== "id" && Number(value) < sequence - SEQUENCE_LIFE_MS;
      const names = Object.entries(item).filter(isExpired);
      expired.set(
        bucket,
        names.map(([name]) => name),
      );
    },

    /**
     * An organization's counts since the first request. One read unit per bucket; half a unit if counts of the last second
     * may be missing.
     */
    organizationCounts: (organizationId: string, { mayLag = false } = {}): Promise<Counts> =>
      readSum(bucketKeys(organizationId), !mayLag),

    /** The counts of all organizations, without those subtracted by resets. Half a read unit per bucket. */
    globalCounts: (): Promise<Counts> => readSum(globalBucketKeys, false),
  };
};
