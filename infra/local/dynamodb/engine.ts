import { type EmbeddedEngine, startEmbeddedEngine } from "./embedded-engine.ts";
import { databaseFileOf, forgetEngine, recordEngine } from "./orphaned-engine.ts";

/** A running DynamoDB. `endpoint` has no trailing slash; `pid` is that of the embedded engine, if it is used. */
export type DynamoDb = { endpoint: string; pid?: number; stop(): Promise<void> };

export type DynamoDbOptions = {
  /** An open data directory (data-directory/open-data-directory.ts); without one, data is in memory. */
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
  const databaseFile = dataDirectory === undefined ? undefined : databaseFileOf(dataDirectory);
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
 * Starts the embedded engine on a free port of loopback, or takes the given endpoint.
 * @throws Error that says what to do: no engine for this platform, endpoint does not answer.
 */
export const startDynamoDb = (options: DynamoDbOptions): Promise<DynamoDb> =>
  options.endpoint === undefined ? startEngine(options) : useEndpoint(options.endpoint);
