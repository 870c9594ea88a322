/**
 * Stands in for the embedded engine's start: all runs of a worker use one engine. Each run begins without tables.
 * Starting an engine takes longer than most tests.
 */
import { DeleteTableCommand, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { startWatchdog as startRealWatchdog } from "../../infra/local/core/watchdog.ts";
import { engineClient } from "../../infra/local/dynamodb/client.ts";
import { startTestDynamoDb as startEngine } from "../support/test-dynamodb.ts";

const start = async () => {
  const { endpoint, pid } = await startEngine();
  // The worker may be killed; the engine must not outlive it.
  if (pid !== undefined) startRealWatchdog().guard(pid);
  return { endpoint, client: engineClient(endpoint) };
};

let started: ReturnType<typeof start> | undefined;

export const startTestDynamoDb = async (): Promise<{ endpoint: string; pid?: number; stop: () => Promise<void> }> => {
  started ??= start();
  const { endpoint, client } = await started;
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  for (const TableName of TableNames) await client.send(new DeleteTableCommand({ TableName }));
  return { endpoint, stop: async () => {} };
};

/** There is no process to watch for a single run. */
export const startWatchdog = () => ({ guard: () => {}, release: () => {}, stop: async () => {} });
