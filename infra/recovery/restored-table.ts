/** A table as it was at an earlier time, under a name of its own. */
import { setTimeout as wait } from "node:timers/promises";
import {
  DescribeTableCommand,
  type DynamoDBClient,
  ListBackupsCommand,
  RestoreTableFromBackupCommand,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { type TableName, type TableSpec, tables } from "../../shared/terms/tables.ts";

const POLL_MS = 10_000;

/** @throws Error if DynamoDB refuses; undefined if there is no such table. */
export const statusOf = async (client: DynamoDBClient, name: string): Promise<string | undefined> => {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: name }))).Table?.TableStatus;
  } catch (error) {
    if (error instanceof Error && error.name === "ResourceNotFoundException") return undefined;
    throw error;
  }
};

/** A restore takes minutes to hours, with the size of the table. */
const untilActive = async (client: DynamoDBClient, name: string): Promise<void> => {
  while ((await statusOf(client, name)) !== "ACTIVE") await wait(POLL_MS);
};

/** The name that a restore of a table to a time always has: a second call finds the table of the first. */
export const restoredName = (name: string, to: Date): string =>
  `${name}-restored-${to.toISOString().replace(/[-:]|\.\d+/g, "")}`;

/** Restores a table to a point in time, unless that was done before. @returns the restored table's name */
export const restoreToPoint = async (client: DynamoDBClient, name: string, to: Date): Promise<string> => {
  const target = restoredName(name, to);
  if ((await statusOf(client, target)) === undefined) {
    const request = { SourceTableName: name, TargetTableName: target, RestoreDateTime: to };
    await client.send(new RestoreTableToPointInTimeCommand(request));
  }
  await untilActive(client, target);
  return target;
};

const RECOVERY_PERIOD_DAYS = 7;

/**
 * Brings a deleted table back under its name, from the backup that DynamoDB made when it was deleted, and gives it the
 * settings that a restore leaves out. The stack then has it as before.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/PointInTimeRecovery_Howitworks.html
 * @throws Error if there is no such backup
 */
export const restoreDeleted = async (client: DynamoDBClient, table: TableName, name: string): Promise<void> => {
  const { BackupSummaries = [] } = await client.send(new ListBackupsCommand({ TableName: name, BackupType: "SYSTEM" }));
  const [latest] = BackupSummaries.toSorted(
    (a, b) => Number(b.BackupCreationDateTime) - Number(a.BackupCreationDateTime),
  );
  if (latest?.BackupArn === undefined) throw new Error(`DynamoDB has no backup of the deleted table ${name}.`);
  await client.send(new RestoreTableFromBackupCommand({ TargetTableName: name, BackupArn: latest.BackupArn }));
  await untilActive(client, name);
  const { expires }: TableSpec = tables[table];
  if (expires) {
    const TimeToLiveSpecification = { AttributeName: "ttl", Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  }
  const PointInTimeRecoverySpecification = {
    PointInTimeRecoveryEnabled: true,
    RecoveryPeriodInDays: RECOVERY_PERIOD_DAYS,
  };
  await client.send(new UpdateContinuousBackupsCommand({ TableName: name, PointInTimeRecoverySpecification }));
  await client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: true }));
};
