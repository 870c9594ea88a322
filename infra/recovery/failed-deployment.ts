/** What a failed first deployment left: docs/recovery.md. Deletion protection stops CloudFormation's own rollback at the tables. */
import { setTimeout as wait } from "node:timers/promises";
import { DeleteTableCommand, type DynamoDBClient, ScanCommand, UpdateTableCommand } from "@aws-sdk/client-dynamodb";
import { DeleteQueueCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { CallAws } from "../aws/call-aws.ts";
import { stackStatusOf } from "../aws/stack-status.ts";
import { deleteStack, resourcesOf, type StackResource, unprotectStack } from "./stack-operations.ts";

/** Only a first deployment ends in the first three; `DELETE_FAILED` is where an earlier removal may have stopped. */
const FAILED = ["CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "DELETE_FAILED"];

const TABLE = "AWS::DynamoDB::Table";
const QUEUE = "AWS::SQS::Queue";
/** Kept with the stack's deletion, as tables and queues are, and left to the operator. */
const BY_HAND: Readonly<Record<string, string>> = {
  "AWS::KMS::Key": "aws kms schedule-key-deletion --key-id",
  "AWS::S3::Bucket": "aws s3 rb --force s3://",
};

export type Aws = {
  call: CallAws;
  dynamodb: Pick<DynamoDBClient, "send">;
  sqs: Pick<SQSClient, "send">;
  /** Milliseconds between looks at the stack. */
  pollMs: number;
};

const nameOf = ({ PhysicalResourceId }: StackResource) => PhysicalResourceId ?? "";

/** Passes over a resource that is gone. */
const unlessGone = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Error && /NotFound|NonExistentQueue|QueueDoesNotExist/.test(error.name))) throw error;
  }
};

/** @throws Error unless the stack's first deployment failed, and none of its tables has an item. */
export const findLeftovers = async ({ call, dynamodb }: Aws, stack: string): Promise<StackResource[]> => {
  const status = await stackStatusOf(call, stack);
  if (status === undefined) throw new Error(`There is no stack ${stack}.`);
  if (!FAILED.includes(status))
    throw new Error(`The stack ${stack} is ${status}: this command removes only what a failed first deployment left.`);
  const left = (await resourcesOf(call, stack)).filter(
    ({ ResourceStatus, PhysicalResourceId }) =>
      ResourceStatus !== "DELETE_COMPLETE" && PhysicalResourceId !== undefined,
  );
  for (const table of left.filter(({ ResourceType }) => ResourceType === TABLE)) {
    await unlessGone(
      dynamodb.send(new ScanCommand({ TableName: nameOf(table), Limit: 1, ConsistentRead: true })).then(({ Count }) => {
        if (Count !== 0) throw new Error(`The table ${nameOf(table)} has items, so nothing is removed.`);
      }),
    );
  }
  return left;
};

/** @returns a command for each resource that is left to the operator. */
export const removeLeftovers = async (
  { call, dynamodb, sqs, pollMs }: Aws,
  stack: string,
  left: readonly StackResource[],
): Promise<string[]> => {
  const tables = left.filter(({ ResourceType }) => ResourceType === TABLE).map(nameOf);
  await call(unprotectStack, { StackName: stack, EnableTerminationProtection: false });
  for (const TableName of tables)
    await unlessGone(dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false })));
  await call(deleteStack, { StackName: stack });
  for (let status = await stackStatusOf(call, stack); status !== undefined; status = await stackStatusOf(call, stack)) {
    if (status === "DELETE_FAILED") throw new Error(`CloudFormation could not delete ${stack}: its events say why.`);
    await wait(pollMs);
  }
  // Their policy keeps tables and queues when a stack is deleted.
  for (const TableName of tables) await unlessGone(dynamodb.send(new DeleteTableCommand({ TableName })));
  for (const queue of left.filter(({ ResourceType }) => ResourceType === QUEUE))
    await unlessGone(sqs.send(new DeleteQueueCommand({ QueueUrl: nameOf(queue) })));
  return left.flatMap((one) => {
    const command = BY_HAND[one.ResourceType];
    return command === undefined ? [] : [`${command}${command.endsWith("/") ? "" : " "}${nameOf(one)}`];
  });
};
