/**
 * The resources of the template that hold data or an address which others have stored, and what must not happen to them
 * from one deployment to the next. The checked-in baseline, stateful-resources.json, is the deployed state.
 * How to go on after each violation: docs/upgrade.md.
 */
import { isDeepStrictEqual } from "node:util";

/**
 * The properties of each type whose change makes CloudFormation replace the resource ("Update requires: Replacement").
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-template-resource-type-ref.html
 */
const REPLACING = {
  // Its keys are read apart, with their types.
  "AWS::DynamoDB::Table": ["TableName", "LocalSecondaryIndexes"],
  "AWS::S3::Bucket": ["BucketName"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion", "Origin"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
  "AWS::Events::EventBus": ["Name"],
  "AWS::ApiGatewayV2::Api": ["ProtocolType"],
  "AWS::Lambda::Url": ["TargetFunctionArn", "Qualifier"],
} as const satisfies Record<string, readonly string[]>;

type Properties = Readonly<Record<string, unknown>>;

/** Keys as `scope HASH S`: attribute, role and type. */
type Keys = readonly string[];

export type StatefulResource = {
  type: string;
  /** The properties whose change replaces the resource. */
  fixed: Properties;
  /** Only a table has the following: its keys, its expiry attribute, and its indexes by name. */
  keys?: Keys;
  expiry?: string;
  indexes?: Readonly<Record<string, { keys: Keys; projection: readonly string[] }>>;
};

/** By logical id. */
export type StatefulResources = Readonly<Record<string, StatefulResource>>;

type Template = { Resources: Readonly<Record<string, { Type: string; Properties?: Properties }>> };

const byName = <Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));

type TableProperties = {
  AttributeDefinitions: { AttributeName: string; AttributeType: string }[];
  KeySchema: { AttributeName: string; KeyType: string }[];
  TimeToLiveSpecification?: { AttributeName: string };
  GlobalSecondaryIndexes?: (Pick<TableProperties, "KeySchema"> & {
    IndexName: string;
    Projection: { ProjectionType: string; NonKeyAttributes?: string[] };
  })[];
};

const tableOf = (properties: TableProperties): Pick<StatefulResource, "keys" | "expiry" | "indexes"> => {
  const types = new Map(properties.AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType]));
  const keysOf = (schema: TableProperties["KeySchema"]): Keys =>
    schema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType} ${types.get(AttributeName)}`);
  const expiry = properties.TimeToLiveSpecification?.AttributeName;
  const indexes = (properties.GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => {
    const projection = [Projection.ProjectionType, ...(Projection.NonKeyAttributes ?? []).toSorted()];
    return [IndexName, { keys: keysOf(KeySchema), projection }] as const;
  });
  return {
    keys: keysOf(properties.KeySchema),
    ...(expiry !== undefined && { expiry }),
    indexes: byName(indexes),
  };
};

/** @param stackName occurs in generated names, and differs from stage to stage. */
export const statefulResourcesOf = ({ Resources }: Template, stackName: string): StatefulResources =>
  byName(
    Object.entries(Resources).flatMap(([logicalId, { Type: type, Properties = {} }]) => {
      if (!(type in REPLACING)) return [];
      const replacing: readonly string[] = REPLACING[type as keyof typeof REPLACING];
      const fixed = replacing.filter((name) => name in Properties).map((name) => [name, Properties[name]]);
      const resource = {
        type,
        fixed: Object.fromEntries(fixed),
        ...(type === "AWS::DynamoDB::Table" && tableOf(Properties as TableProperties)),
      };
      const text = JSON.stringify(resource).replaceAll(stackName.replaceAll("-", ""), "{stack}");
      return [[logicalId, JSON.parse(text) as StatefulResource] as const];
    }),
  );

/** Whether two resources hold the same data, so that one may be the other under a new logical id. */
const isSame = (a: StatefulResource, b: StatefulResource) => isDeepStrictEqual(a, b);

const missing = (logicalId: string, before: StatefulResource, baseline: StatefulResources, now: StatefulResources) => {
  const renamed = Object.entries(now).find(([id, after]) => !(id in baseline) && isSame(before, after))?.[0];
  return renamed === undefined
    ? `${logicalId} (${before.type}) would be removed: see "Removals" of docs/upgrade.md.`
    : `${logicalId} (${before.type}) would be replaced, because its logical id is now ${renamed}: keep the old one with overrideLogicalId("${logicalId}"), see "Renames" of docs/upgrade.md.`;
};

const replaced = (logicalId: string, before: StatefulResource, after: StatefulResource): string[] => {
  const names = new Set([...Object.keys(before.fixed), ...Object.keys(after.fixed)]);
  const reasons = [
    ...(before.type === after.type ? [] : ["its type"]),
    ...(isDeepStrictEqual(before.keys, after.keys) ? [] : ["its keys"]),
    ...[...names].filter((name) => !isDeepStrictEqual(before.fixed[name], after.fixed[name])),
  ];
  const why = reasons.join(" and ");
  return reasons.length === 0
    ? []
    : [`${logicalId} (${before.type}) would be replaced by a change of ${why}: see "Replacements" of docs/upgrade.md.`];
};

/**
 * An index cannot be changed in place, and an update of a table may create or delete one index.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTable.html
 */
const reindexed = (logicalId: string, before: StatefulResource, after: StatefulResource): string[] => {
  const { indexes: old = {} } = before;
  const { indexes: young = {} } = after;
  const changed = Object.keys(old).filter((name) => name in young && !isDeepStrictEqual(old[name], young[name]));
  const moved = [
    ...Object.keys(old).filter((name) => !(name in young)),
    ...Object.keys(young).filter((name) => !(name in old)),
  ];
  return [
    ...changed.map(
      (name) =>
        `${logicalId}: the index ${name} would change its keys or projection, which DynamoDB does not support: add an index with a new name, see "Indexes" of docs/upgrade.md.`,
    ),
    ...(moved.length > 1
      ? [
          `${logicalId}: the indexes ${moved.join(" and ")} would be created or deleted in one deployment, but DynamoDB allows one at a time: deploy them one after the other, see "Indexes" of docs/upgrade.md.`,
        ]
      : []),
  ];
};

const expiring = (logicalId: string, { expiry: old }: StatefulResource, { expiry: young }: StatefulResource) =>
  old === undefined || old === young
    ? []
    : [
        `${logicalId}: the expiry attribute would change from ${old} to ${young ?? "none"}: see "Expiry" of docs/upgrade.md.`,
      ];

/** What a deployment over the baseline would lose or fail on, one sentence each; empty if it is safe. */
export const violationsOf = (baseline: StatefulResources, now: StatefulResources): string[] =>
  Object.entries(baseline).flatMap(([logicalId, before]) => {
    const after = now[logicalId];
    if (after === undefined) return [missing(logicalId, before, baseline, now)];
    const lost = replaced(logicalId, before, after);
    return lost.length > 0 ? lost : [...reindexed(logicalId, before, after), ...expiring(logicalId, before, after)];
  });
