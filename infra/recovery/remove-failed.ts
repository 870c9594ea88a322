/**
 * `npm run remove-failed -- STACK`: removes what a failed first deployment left, so that it can be deployed again.
 *
 *   npm run remove-failed -- plant-store-prod [--region eu-central-1]
 *
 * It refuses a stack that was ever deployed, and one with an item in a table. It shows what it will remove, and asks twice. Then it
 * turns off the protection of the stack and its tables, deletes the stack, and deletes the tables and queues that the deletion
 * of the stack keeps. It names the command for keys and buckets. Exit code 0: removed, 1: not removed.
 */
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { createAwsCaller } from "../aws/call-aws.ts";
import { failWith } from "../local/commands/fail-with.ts";
import { findLeftovers, removeLeftovers } from "./failed-deployment.ts";

const POLL_MS = 5_000;

/** @throws Error unless both answers are exactly what is asked for. */
const askTwice = async (stack: string, count: number): Promise<void> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string, expected: string): Promise<void> => {
    process.stdout.write(`${question} `);
    if ((await lines.next()).value !== expected) throw new Error("Nothing was removed.");
  };
  try {
    await ask("Type the name of the stack to remove it:", stack);
    await ask(`This cannot be undone. Type the number of its resources, ${count}:`, String(count));
  } finally {
    terminal.close();
  }
};

const run = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { region: { type: "string" } } });
  const [stack, ...others] = positionals;
  if (stack === undefined || others.length > 0)
    throw new Error("expected the name of one stack, such as plant-store-prod");
  const wanted = values.region === undefined ? {} : { region: values.region };
  const dynamodb = new DynamoDBClient(wanted);
  const { config: sdk } = dynamodb;
  const region = await sdk.region();
  const call = createAwsCaller({ region, credentials: sdk.credentials, endpointUrl: process.env.AWS_ENDPOINT_URL });
  // The address of a queue is the service's, and AWS_ENDPOINT_URL may name another.
  const sqs = new SQSClient({ ...wanted, useQueueUrlAsEndpoint: false });
  const aws = { call, dynamodb, sqs, pollMs: POLL_MS };
  const left = await findLeftovers(aws, stack);
  for (const { ResourceType, LogicalResourceId } of left)
    console.log(`${ResourceType.padEnd(32)} ${LogicalResourceId}`);
  await askTwice(stack, left.length);
  const byHand = await removeLeftovers(aws, stack, left);
  console.log(`${stack} is removed.`);
  for (const command of byHand) console.log(`By hand: ${command}`);
};

await run().catch(failWith);
