import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { isRunning } from "../../../../infra/local/core/processes.ts";
import { type DataDirectory, openDataDirectory } from "../../../../infra/local/data-directory/open-data-directory.ts";
import { engineClient } from "../../../../infra/local/dynamodb/client.ts";
import { type DynamoDb, startDynamoDb } from "../../../../infra/local/dynamodb/engine.ts";
import { findEngine } from "../../../../infra/local/dynamodb/engine-package.ts";
import { createTables } from "../../../../infra/local/dynamodb/tables.ts";
import { tableModel } from "../../../support/embedded-dynamodb.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const table = tableModel({
  TableName: "things",
  KeySchema: [{ AttributeName: "key", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "key", AttributeType: "S" }],
});

let dataDirectory: string;
const started: DynamoDb[] = [];
const opened: DataDirectory[] = [];
/** Opens the data directory and starts the engine, as a local cloud does. */
const start = async (options: Parameters<typeof startDynamoDb>[0]): Promise<DynamoDb> => {
  const data = options.dataDirectory === undefined ? undefined : await openDataDirectory(options.dataDirectory);
  if (data !== undefined) opened.push(data);
  const { stop, ...database } = await startDynamoDb(options);
  const running = {
    ...database,
    stop: async () => {
      await stop();
      data?.release();
    },
  };
  started.push(running);
  return running;
};
beforeEach(() => {
  dataDirectory = newDirectory("dynamodb-");
});
afterEach(async () => {
  for (const database of started.splice(0)) await database.stop();
  for (const data of opened.splice(0)) data.release();
});

const put = async (endpoint: string, key: string): Promise<void> => {
  const client = engineClient(endpoint);
  await client.send(new PutItemCommand({ TableName: "things", Item: { key: { S: key } } }));
  client.destroy();
};
const keys = async (endpoint: string): Promise<(string | undefined)[]> => {
  const client = engineClient(endpoint);
  const { Items = [] } = await client.send(new ScanCommand({ TableName: "things" }));
  client.destroy();
  return Items.map(({ key }) => key?.S);
};

/** A local cloud in another process. It writes an item and waits to be killed. */
const startElsewhere = async (): Promise<{ child: ChildProcess; enginePid: number }> => {
  const url = (file: string) => JSON.stringify(new URL(`../../../../infra/local/${file}`, import.meta.url));
  const script = `
    const { openDataDirectory } = await import(${url("data-directory/open-data-directory.ts")});
    const { startDynamoDb } = await import(${url("dynamodb/engine.ts")});
    const { createTables } = await import(${url("dynamodb/tables.ts")});
    await openDataDirectory(${JSON.stringify(dataDirectory)});
    const database = await startDynamoDb({ dataDirectory: ${JSON.stringify(dataDirectory)} });
    await createTables(database.endpoint, [${JSON.stringify(table)}]);
    console.log(database.pid, database.endpoint);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const [pid, endpoint = ""] = String(line).trim().split(" ");
  await put(endpoint, "kept");
  return { child, enginePid: Number(pid) };
};

describe("the embedded engine", () => {
  it("is found on this platform", () => {
    expect(existsSync(findEngine())).toBe(true);
  });

  it("keeps data over a restart only if it has a data directory", async () => {
    const first = await start({ dataDirectory });
    await createTables(first.endpoint, [table]);
    await put(first.endpoint, "kept");
    await first.stop();
    expect(isRunning(first.pid ?? 0)).toBe(false);
    const second = await start({ dataDirectory });
    expect(await keys(second.endpoint)).toEqual(["kept"]);
    const inMemory = await start({});
    await createTables(inMemory.endpoint, [table]);
    expect(await keys(inMemory.endpoint)).toEqual([]);
  });

  it("takes over from a killed local cloud, and stops the engine that it left running", async () => {
    const { child, enginePid } = await startElsewhere();
    await expect(start({ dataDirectory })).rejects.toThrow(`(process ${child.pid})`);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isRunning(enginePid)).toBe(true);
    const database = await start({ dataDirectory });
    expect(isRunning(enginePid)).toBe(false);
    expect(await keys(database.endpoint)).toEqual(["kept"]);
  });

  it("does not stop the engine of another data directory, or another program that names this database", async () => {
    const other = await start({ dataDirectory: newDirectory("dynamodb-") });
    const argument = join(dataDirectory, "dynamodb.sqlite");
    const innocent = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "--", "--db-path", argument], {
      stdio: "ignore",
    });
    await start({ dataDirectory });
    expect([other.pid ?? 0, innocent.pid ?? 0].every(isRunning)).toBe(true);
    innocent.kill("SIGKILL");
  });

  it("reports that the engine exited unexpectedly", async () => {
    const ended = new Promise<void>((resolve) => {
      void start({ onUnexpectedExit: resolve }).then(({ pid }) => process.kill(pid ?? 0, "SIGKILL"));
    });
    await expect(ended).resolves.toBeUndefined();
  });
});
