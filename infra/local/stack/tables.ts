import * as z from "zod";
import type { TableModel } from "../core/model.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn, nameOf } from "../template/template.ts";

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

const Index = z
  .strictObject({
    IndexName: z.string(),
    KeySchema,
    Projection: z.strictObject({
      ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
      NonKeyAttributes: z.array(z.string()).optional(),
    }),
    WarmThroughput: z.unknown().optional(),
  })
  .transform(({ Projection: { ProjectionType, NonKeyAttributes }, WarmThroughput: _, ...index }) => ({
    ...index,
    Projection: { ProjectionType, ...(NonKeyAttributes !== undefined && { NonKeyAttributes }) },
  }));

const plan = {
  supported: z.object({
    TableName: z.string().optional(),
    KeySchema,
    AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) })),
    BillingMode: z.literal("PAY_PER_REQUEST"),
    GlobalSecondaryIndexes: z.array(Index).optional(),
    TimeToLiveSpecification: z.strictObject({ AttributeName: z.string(), Enabled: z.literal(true) }).optional(),
  }),
  ignored: ["DeletionProtectionEnabled", "PointInTimeRecoverySpecification", "Tags", "WarmThroughput"],
};

const readTable = (stack: StackReader, resource: Resource): TableModel => {
  const properties = stack.properties(resource, plan);
  const { KeySchema, AttributeDefinitions, BillingMode, GlobalSecondaryIndexes, TimeToLiveSpecification } = properties;
  return {
    logicalId: resource.logicalId,
    name: resource.ref,
    arn: resource.arn,
    definition: {
      TableName: resource.ref,
      KeySchema,
      AttributeDefinitions,
      BillingMode,
      ...(GlobalSecondaryIndexes !== undefined && { GlobalSecondaryIndexes }),
    },
    ...(TimeToLiveSpecification !== undefined && { ttlAttribute: TimeToLiveSpecification.AttributeName }),
  };
};

/** AWS::DynamoDB::Table: on demand, without streams and replicas. */
export const tables: ResourceFamily = {
  identities: {
    "AWS::DynamoDB::Table": (resource) => {
      const name = nameOf(resource, "TableName");
      return { ref: name, attributes: { Arn: arnIn(resource.scope, "dynamodb", `table/${name}`) } };
    },
  },
  read: (stack) => ({
    tables: stack.resources("AWS::DynamoDB::Table").map((resource) => readTable(stack, resource)),
  }),
};
