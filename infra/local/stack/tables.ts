import * as z from "zod";
import type { PolicyStatement, TableModel } from "../core/model.ts";
import { nameOf } from "../template/identity.ts";
import { PolicyDocument } from "../template/policy-document.ts";
import type { Resource, ResourceFamily, StackReader } from "../template/stack-reader.ts";
import { arnIn } from "../template/template.ts";
import { flag } from "../template/values.ts";

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

/** What else an index says (throughput, insights) is left out: the local tables are all on demand. */
const Index = z
  .object({
    IndexName: z.string(),
    KeySchema,
    Projection: z.object({
      ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]),
      NonKeyAttributes: z.array(z.string()).optional(),
    }),
  })
  .transform(({ Projection: { ProjectionType, NonKeyAttributes }, ...index }) => ({
    ...index,
    Projection: { ProjectionType, ...(NonKeyAttributes !== undefined && { NonKeyAttributes }) },
  }));

const ResourcePolicy = z.object({ PolicyDocument });

const TableProperties = z.object({
  TableName: z.string().optional(),
  KeySchema,
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) })),
  GlobalSecondaryIndexes: z.array(Index).optional(),
  LocalSecondaryIndexes: z.array(Index).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string().optional(), Enabled: flag }).optional(),
  ResourcePolicy: ResourcePolicy.optional(),
  Replicas: z.array(z.object({ Region: z.string(), ResourcePolicy: ResourcePolicy.optional() })).default([]),
});

const plan = {
  understood: TableProperties,
  nothingLocally: [
    "BillingMode",
    "ContributorInsightsSpecification",
    "DeletionProtectionEnabled",
    "PointInTimeRecoverySpecification",
    "SSESpecification",
    "TableClass",
    "Tags",
    "WarmThroughput",
  ],
  notApplied: {
    KinesisStreamSpecification: "changes are not sent to Kinesis",
    OnDemandThroughput: "requests are not throttled",
    ProvisionedThroughput: "requests are not throttled",
    ReadProvisionedThroughputSettings: "requests are not throttled",
    StreamSpecification: "the table has no stream",
    WriteProvisionedThroughputSettings: "requests are not throttled",
  },
};

type Table = TableModel & { policy: PolicyStatement[] };

const readTable = (stack: StackReader, resource: Resource): Table => {
  const properties = stack.properties(resource, plan);
  const { AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes, TimeToLiveSpecification } = properties;
  const elsewhere = properties.Replicas.filter(({ Region }) => Region !== stack.scope.region);
  if (elsewhere.length > 0)
    stack.notRun(resource, `no replicas in ${elsewhere.map(({ Region }) => Region).join(", ")}`);
  const policies = [properties, ...properties.Replicas].flatMap((owner) => owner.ResourcePolicy?.PolicyDocument ?? []);
  const ttlAttribute = TimeToLiveSpecification?.Enabled ? TimeToLiveSpecification.AttributeName : undefined;
  return {
    logicalId: resource.logicalId,
    name: resource.ref,
    arn: resource.arn,
    definition: {
      TableName: resource.ref,
      KeySchema: properties.KeySchema,
      AttributeDefinitions,
      BillingMode: "PAY_PER_REQUEST",
      ...(GlobalSecondaryIndexes !== undefined && { GlobalSecondaryIndexes }),
      ...(LocalSecondaryIndexes !== undefined && { LocalSecondaryIndexes }),
    },
    ...(ttlAttribute !== undefined && { ttlAttribute }),
    policy: policies,
  };
};

const identify: ResourceFamily["identities"][string] = (resource) => {
  const name = nameOf(resource, "TableName");
  return { ref: name, attributes: { Arn: arnIn(resource.scope, "dynamodb", `table/${name}`) } };
};

/** AWS::DynamoDB::Table and GlobalTable: created on demand-billing, without streams. */
export const tables: ResourceFamily = {
  identities: { "AWS::DynamoDB::Table": identify, "AWS::DynamoDB::GlobalTable": identify },
  read: (stack) => {
    const found = ["AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"]
      .flatMap((type) => stack.resources(type))
      .map((resource) => readTable(stack, resource));
    return {
      tables: found.map(({ policy: _policy, ...table }) => table),
      resourcePolicies: Object.fromEntries(
        found.filter(({ policy }) => policy.length > 0).map((t) => [t.arn, t.policy]),
      ),
    };
  },
};
