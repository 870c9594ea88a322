/** A table of jobs with one sharded index, as the tests of the kit use it. */
import { defineShardedIndex } from "../../../shared/work/sharded-index.ts";

const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" as const });

export const TABLE = "jobs";

export const waiting = defineShardedIndex(
  { name: "byShard", partitionKey: "shard", sortKey: "key", holds: "items" },
  { count: 3 },
);

export const jobTable = {
  TableName: TABLE,
  KeySchema: [
    { AttributeName: "scope", KeyType: "HASH" as const },
    { AttributeName: "key", KeyType: "RANGE" as const },
  ],
  AttributeDefinitions: [
    text("scope"),
    text("key"),
    text("shard"),
    { AttributeName: "at", AttributeType: "N" as const },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "byShard",
      KeySchema: [
        { AttributeName: "shard", KeyType: "HASH" as const },
        { AttributeName: "key", KeyType: "RANGE" as const },
      ],
      Projection: { ProjectionType: "ALL" as const },
    },
    {
      IndexName: "byTime",
      KeySchema: [
        { AttributeName: "shard", KeyType: "HASH" as const },
        { AttributeName: "at", KeyType: "RANGE" as const },
      ],
      Projection: { ProjectionType: "ALL" as const },
    },
  ],
};
