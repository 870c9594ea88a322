import {
  AttributeType,
  BillingMode,
  type GlobalSecondaryIndexProps,
  ProjectionType,
  Table,
  type TableProps,
} from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { type TableIndex, type TableName, type TableSpec, tables } from "../../../shared/terms/tables.ts";
import type { DeploymentConfig } from "./deployment-config.ts";
import { warmThroughputFor } from "./expected-load.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/** Backups must not keep erased data for long (docs/decisions.md). */
const RECOVERY_PERIOD_DAYS = 7;

/** The attribute that holds an item's expiry in epoch seconds, in every table whose items expire. */
const EXPIRY = "ttl";

type TablesConfig = Pick<DeploymentConfig, "isProtected" | "expectedOrganizations" | "prewarmTables">;

type Key = NonNullable<TableProps["sortKey"]>;

const text = (name: string): Key => ({ name, type: AttributeType.STRING });
const number = (name: string): Key => ({ name, type: AttributeType.NUMBER });

const projectionOf = ({
  holds,
}: TableIndex): Pick<GlobalSecondaryIndexProps, "projectionType" | "nonKeyAttributes"> => {
  if (holds === "items") return {};
  if (holds === "keys") return { projectionType: ProjectionType.KEYS_ONLY };
  return { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...holds] };
};

type WarmthOf = (part: string) => Pick<TableProps, "warmThroughput">;

/** The units that tables and indexes must serve at once, if the deployment asks for that. */
const warmth =
  ({ prewarmTables, expectedOrganizations }: TablesConfig): WarmthOf =>
  (part) => {
    if (!prewarmTables || expectedOrganizations === undefined) return {};
    const warmThroughput = warmThroughputFor(part, expectedOrganizations);
    return warmThroughput === undefined ? {} : { warmThroughput };
  };

const addIndex = (table: Table, index: TableIndex, warm: Pick<TableProps, "warmThroughput">): void => {
  const { name, partitionKey, sortKey, isSortedByTime } = index;
  table.addGlobalSecondaryIndex({
    indexName: name,
    partitionKey: text(partitionKey),
    ...(sortKey !== undefined && { sortKey: isSortedByTime ? number(sortKey) : text(sortKey) }),
    ...projectionOf(index),
    ...warm,
  });
};

const keysOf = ({ partitionKey, sortKey, sortKeyType, expires }: TableSpec) => ({
  partitionKey: text(partitionKey),
  ...(sortKey !== undefined && { sortKey: sortKeyType === "number" ? number(sortKey) : text(sortKey) }),
  ...(expires && { timeToLiveAttribute: EXPIRY }),
});

/** The tables of the service by name: on demand, with point-in-time recovery. Only a stage without protection deletes them. */
export const createTables = (scope: Construct, config: TablesConfig) => {
  const parent = new Construct(scope, "Tables");
  const warmthOf = warmth(config);
  const create = ([name, spec]: [string, TableSpec]): [string, Table] => {
    const table = new Table(
      parent,
      name.replace(/^./, (first) => first.toUpperCase()),
      {
        ...keysOf(spec),
        ...warmthOf(name),
        billingMode: BillingMode.PAY_PER_REQUEST,
        pointInTimeRecoverySpecification: {
          pointInTimeRecoveryEnabled: true,
          recoveryPeriodInDays: RECOVERY_PERIOD_DAYS,
        },
        deletionProtection: config.isProtected,
        removalPolicy: removalPolicyOf(config),
      },
    );
    for (const index of spec.indexes ?? []) addIndex(table, index, warmthOf(`${name}/${index.name}`));
    return [name, table];
  };
  return Object.fromEntries(Object.entries(tables).map(create)) as Readonly<Record<TableName, Table>>;
};

export type Tables = ReturnType<typeof createTables>;
