import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { conditionalWrite } from "../runtime/conditional-write.ts";
import { getItems } from "../runtime/get-items.ts";
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
export const createStatisticsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** Attributes of instances that ended long ago, by bucket, as the last addition returned them. */
  const expired = new Map<string, string[]>();

  const readSum = async (keys: readonly string[], ConsistentRead: boolean): Promise<Counts> => {
    const wanted = keys.map((id) => ({ id }));
    const { items } = await getItems(client, tableName, wanted, { ConsistentRead, ProjectionExpression: "t, f, r" });
    return items.reduce<Counts>((sum, item) => {
      const { t = 0, f = 0, r = 0 } = Bucket.parse(item);
      return plus(sum, { total: t, failed: f, rejected: r });
    }, noCounts);
  };

  return {
    /** Adds to one bucket. The same addition counts once, however often it is sent. One write unit. */
    async add(bucket: string, { instance, sequence, counts }: Addition, deadlineMs?: number): Promise<void> {
      const removed = (expired.get(bucket) ?? []).filter((name) => name !== `i${instance}`).slice(0, MAX_REMOVED);
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { id: bucket },
        ConditionExpression: "attribute_not_exists(#own) OR #own < :sequence",
        UpdateExpression: [
          "SET #own = :sequence ADD #t :t, #f :f, #r :r",
          ...(removed.length > 0 ? [`REMOVE ${removed.map((_, index) => `#i${index}`).join(", ")}`] : []),
        ].join(" "),
        ExpressionAttributeNames: {
          "#own": `i${instance}`,
          "#t": "t",
          "#f": "f",
          "#r": "r",
          ...Object.fromEntries(removed.map((name, index) => [`#i${index}`, name])),
        },
        ExpressionAttributeValues: {
          ":sequence": sequence,
          ":t": counts.total,
          ":f": counts.failed,
          ":r": counts.rejected,
        },
        ReturnValues: "ALL_NEW",
      });
      const result = await conditionalWrite((options) => client.send(command, options), deadlineMs);
      // The condition fails if an earlier attempt was applied and its answer was lost.
      if (!result.written) return;
      const isExpired = ([name, value]: [string, unknown]) =>
        name.startsWith("i") && name !== "id" && Number(value) < sequence - SEQUENCE_LIFE_MS;
      const names = Object.entries(result.output.Attributes ?? {}).filter(isExpired);
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
