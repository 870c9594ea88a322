import { type EmbeddedEngine, startEmbeddedEngine } from "./embedded-engine.ts";
import { findEngine } from "./engine-package.ts";

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

const answerTimeoutMs = 2_000;

/** Accepts any answer, because endpoints answer a plain GET differently. */
const requireEndpoint = async (endpoint: string): Promise<void> => {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(answerTimeoutMs) });
  } catch {
    throw new Error(
      `the environment variable DYNAMODB_ENDPOINT is ${JSON.stringify(endpoint)}, which does not answer: ` +
        "start a DynamoDB-compatible server there, or unset the variable",
    );
  }
};

const useEndpoint = async (endpoint: string): Promise<DynamoDb> => {
  await requireEndpoint(endpoint);
  return { endpoint: new URL(endpoint).href.replace(/\/$/, ""), stop: async () => {} };
};

/**
 * Checks that a later `startDynamoDb` has something to start or to use.
 * @throws Error that says what to do: no engine for this platform, endpoint does not answer.
 */
export const requireDynamoDb = async (endpoint: string | undefined): Promise<void> => {
  if (endpoint === undefined) findEngine();
  else await requireEndpoint(endpoint);
};

const startEngine = async ({ dataDirectory, onUnexpectedExit }: DynamoDbOptions): Promise<DynamoDb> => {
  const engine: EmbeddedEngine = await startEmbeddedEngine(dataDirectory);
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
    },
  };
};

/**
 * Starts the embedded engine on a free port of loopback, or takes the given endpoint.
 * @throws Error that says what to do: no engine for this platform, endpoint does not answer.
 */
export const startDynamoDb = (options: DynamoDbOptions): Promise<DynamoDb> =>
  options.endpoint === undefined ? startEngine(options) : useEndpoint(options.endpoint);
