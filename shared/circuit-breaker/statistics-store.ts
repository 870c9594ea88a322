import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { callStore } from "../runtime/call-store.ts";
import { getItems } from "../runtime/get-items.ts";
import { type Counts, noCounts } from "./circuit.ts";
import { bucketKeys, globalBucketKeys } from "./statistics-keys.ts";

/**
 * One item per bucket (statistics-keys.ts): `t`, `f`, `r` are the counts. For each instance that added in the last
 * minutes there is an attribute `i<instance>` with the number of its last addition, so that an addition whose answer
 * was lost counts once. No index, no expiry.
 */
const Bucket = z.object({ t: z.optional(z.int()), f: z.optional(z.int()), r: z.optional(z.int()) });

/** An addition is repeated for five minutes at most (statistics.ts); its mark lives three times as long. */
const MARK_LIFE_MS = 15 * 60_000;

/** Marks that one addition takes away with it. */
const MAX_SWEPT = 20;

/**
 * Counts to add, or to take away where negative. `sequence` numbers the additions of one instance to one bucket: a
 * time in ms, later than the one before.
 */
export type Addition = { instance: string; sequence: number; counts: Counts };

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

/** The counts of requests. All calls throw DomainError `store_unavailable` when the table does not answer. */
export const createStatisticsStore = (client: DynamoDBDocumentClient, tableName: string) => {
  /** Marks of instances that are long gone, by bucket, as the last addition saw them. */
  const oldMarks = new Map<string, string[]>();

  const sum = async (keys: readonly string[], ConsistentRead: boolean): Promise<Counts> => {
    const wanted = keys.map((id) => ({ id }));
    const { items } = await getItems(client, tableName, wanted, { ConsistentRead, ProjectionExpression: "t, f, r" });
    const total = { ...noCounts };
    for (const item of items) {
      const { t = 0, f = 0, r = 0 } = Bucket.parse(item);
      total.total += t;
      total.failed += f;
      total.rejected += r;
    }
    return total;
  };

  return {
    /** Adds to one bucket, once however often it is called with the same addition. One write unit. */
    async add(bucket: string, { instance, sequence, counts }: Addition, deadlineMs?: number): Promise<void> {
      const swept = (oldMarks.get(bucket) ?? []).filter((mark) => mark !== `i${instance}`).slice(0, MAX_SWEPT);
      const command = new UpdateCommand({
        TableName: tableName,
        Key: { id: bucket },
        ConditionExpression: "attribute_not_exists(#mark) OR #mark < :sequence",
        UpdateExpression: [
          "SET #mark = :sequence ADD #t :t, #f :f, #r :r",
          ...(swept.length > 0 ? [`REMOVE ${swept.map((_, index) => `#m${index}`).join(", ")}`] : []),
        ].join(" "),
        ExpressionAttributeNames: {
          "#mark": `i${instance}`,
          "#t": "t",
          "#f": "f",
          "#r": "r",
          ...Object.fromEntries(swept.map((mark, index) => [`#m${index}`, mark])),
        },
        ExpressionAttributeValues: {
          ":sequence": sequence,
          ":t": counts.total,
          ":f": counts.failed,
          ":r": counts.rejected,
        },
        ReturnValues: "ALL_NEW",
      });
      try {
        const { Attributes = {} } = await callStore((options) => client.send(command, options), deadlineMs);
        const isOld = ([name, value]: [string, unknown]) =>
          name.startsWith("i") && name !== "id" && Number(value) < sequence - MARK_LIFE_MS;
        oldMarks.set(
          bucket,
          Object.entries(Attributes)
            .filter(isOld)
            .map(([name]) => name),
        );
      } catch (error) {
        // Refused: a first attempt was written, and only its answer lost.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    },

    /**
     * An organization's counts since the beginning. One read unit per bucket, read strongly; half of one where what was
     * added in the last second may be left out.
     */
    organizationCounts: (organizationId: string, { mayLag = false } = {}): Promise<Counts> =>
      sum(bucketKeys(organizationId), !mayLag),

    /** The counts of all organizations together, without what resets have taken away. Half a read unit per bucket. */
    globalCounts: (): Promise<Counts> => sum(globalBucketKeys, false),
  };
};
