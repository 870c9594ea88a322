import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { IndexDefinition, TableDefinition, TableModel } from "../core/model.ts";
import { engineClient } from "./client.ts";

/** The differences of an existing table from the template's; `conflict` names one that cannot be changed in place. */
type Comparison = { missing: IndexDefinition[]; surplus: string[]; conflict?: string };

type Shape = {
  KeySchema?: { AttributeName: string | undefined; KeyType: string | undefined }[] | undefined;
  Projection?: { ProjectionType?: string | undefined; NonKeyAttributes?: string[] | undefined } | undefined;
};

type Attributes = { AttributeName: string | undefined; AttributeType: string | undefined }[];

/** A text that is equal for equal keys (with attribute types) and equal projections, regardless of their order. */
const shapeOf = ({ KeySchema = [], Projection }: Shape, attributes: Attributes): string => {
  const typeOf = (name?: string) => attributes.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
  const keys = KeySchema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}: ${typeOf(AttributeName)}`);
  const projected = [...(Projection?.NonKeyAttributes ?? [])].sort().join(" ");
  return [...keys.sort(), Projection?.ProjectionType ?? "", projected].join(", ");
};

/** Compares a table of the engine with the template's. */
const compareTable = (existing: TableDescription, wanted: TableDefinition): Comparison => {
  const have = existing.AttributeDefinitions ?? [];
  const want = wanted.AttributeDefinitions;
  const nothing = { missing: [], surplus: [] };
  if (shapeOf(existing, have) !== shapeOf(wanted, want)) return { ...nothing, conflict: "its keys differ" };

  const indexes = new Map((existing.GlobalSecondaryIndexes ?? []).map((index) => [index.IndexName ?? "", index]));
  const wantedIndexes = wanted.GlobalSecondaryIndexes ?? [];
  for (const index of wantedIndexes) {
    const found = indexes.get(index.IndexName);
    if (found !== undefined && shapeOf(found, have) !== shapeOf(index, want)) {
      return { ...nothing, conflict: `its index ${index.IndexName} differs` };
    }
  }
  return {
    missing: wantedIndexes.filter(({ IndexName }) => !indexes.has(IndexName)),
    surplus: [...indexes.keys()].filter((name) => !wantedIndexes.some(({ IndexName }) => IndexName === name)),
  };
};

const describe = async (client: DynamoDBClient, name: string): Promise<TableDescription | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table;
  } catch (error) {
    if (error instanceof Error && error.name === "ResourceNotFoundException") return undefined;
    throw error;
  }
};

const untilActive = (client: DynamoDBClient, name: string) =>
  waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });

/** One index per call, because DynamoDB accepts only one. */
const adjustIndexes = async (client: DynamoDBClient, table: TableModel, existing: TableDescription) => {
  const { missing, surplus, conflict } = compareTable(existing, table.definition);
  if (conflict !== undefined) {
    throw new Error(
      `the table ${table.name} (${table.logicalId}) exists already and ${conflict} from the template's: ` +
        "delete the data directory, or choose a new one with LOCAL_DATA_DIR",
    );
  }
  const { TableName, AttributeDefinitions } = table.definition;
  const updates = [
    ...surplus.map((IndexName) => ({ Delete: { IndexName } })),
    ...missing.map((index) => ({ Create: index })),
  ];
  for (const update of updates) {
    await client.send(
      new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [update] }),
    );
    await untilActive(client, table.name);
  }
};

/** Only sets the attribute that DescribeTimeToLive returns: ttl-sweep.ts deletes expired items. */
const declareTtl = async (client: DynamoDBClient, { name, ttlAttribute }: TableModel) => {
  if (ttlAttribute === undefined) return;
  const { TimeToLiveDescription: declared } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (declared?.TimeToLiveStatus === "ENABLED") return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
    }),
  );
};

/**
 * Makes the tables that do not exist yet; on those that do, adds and removes global indexes to match.
 * @throws Error naming the table whose existing keys or indexes differ in a way that needs a new data directory.
 */
export const createTables = async (endpoint: string, tables: readonly TableModel[]): Promise<void> => {
  const client = engineClient(endpoint);
  try {
    for (const table of tables) {
      const existing = await describe(client, table.name);
      if (existing === undefined) {
        await client.send(new CreateTableCommand(table.definition));
        await untilActive(client, table.name);
      } else await adjustIndexes(client, table, existing);
      await declareTtl(client, table);
    }
  } finally {
    client.destroy();
  }
};
