import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Lock, lockDataDirectory } from "./data-directory-lock.ts";
import { type EmbeddedEngine, startEmbeddedEngine } from "./embedded-engine.ts";
import { forgetEngine, recordEngine, stopOrphanedEngine } from "./orphaned-engine.ts";

/** A running DynamoDB. `endpoint` has no trailing slash; `pid` is that of the embedded engine, if it is used. */
export type DynamoDb = { endpoint: string; pid?: number; stop(): Promise<void> };

export type DynamoDbOptions = {
  /** Locked until `stop`; without one, data is in memory and gone at the end. */
  dataDirectory?: string;
  /** A DynamoDB-compatible endpoint to use in place of the embedded engine. */
  endpoint?: string;
  /** Called if the embedded engine ends without `stop`. */
  onUnexpectedExit?: () => void;
};

const answerTimeoutMs = 5_000;

/** Accepts any answer, because endpoints answer a plain GET differently. */
const useEndpoint = async (endpoint: string): Promise<DynamoDb> => {
  const url = new URL(endpoint);
  try {
    await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
  } catch {
    throw new Error(`DYNAMODB_ENDPOINT ${endpoint} does not answer: start it, or leave the variable unset`);
  }
  return { endpoint: url.href.replace(/\/$/, ""), stop: async () => {} };
};

const startEngine = async ({ dataDirectory, onUnexpectedExit }: DynamoDbOptions): Promise<DynamoDb> => {
  let databaseFile: string | undefined;
  if (dataDirectory !== undefined) {
    databaseFile = join(realpathSync(dataDirectory), "dynamodb.sqlite");
    await stopOrphanedEngine(dataDirectory, databaseFile);
  }
  const engine: EmbeddedEngine = await startEmbeddedEngine(databaseFile);
  if (dataDirectory !== undefined) recordEngine(dataDirectory, engine.pid);
  let stopping = false;
  void engine.exited.then(() => {
    if (!stopping) onUnexpectedExit?.();
  });
  return {
    endpoint: engine.endpoint,
    pid: engine.pid,
    stop: async () => {
      stopping = true;
      await engine.stop();
      if (dataDirectory !== undefined) forgetEngine(dataDirectory);
    },
  };
};

/**
 * Starts the embedded engine on a free port of loopback, or takes the given endpoint. The data directory is locked
 * either way, and an engine that a killed local cloud left behind in it is stopped first.
 * @throws Error that says what to do: no engine for this platform, data directory in use, endpoint does not answer.
 */
export const startDynamoDb = async (options: DynamoDbOptions): Promise<DynamoDb> => {
  const { dataDirectory, endpoint } = options;
  const lock: Lock = dataDirectory === undefined ? { release: () => {} } : lockDataDirectory(dataDirectory);
  try {
    const { stop, ...database } = await (endpoint === undefined ? startEngine(options) : useEndpoint(endpoint));
    return {
      ...database,
      stop: async () => {
        await stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
};
