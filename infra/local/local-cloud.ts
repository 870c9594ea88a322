import type { AdvanceClock } from "./advance-clock.ts";
import type { Denial } from "./gateway.ts";
import type { Functions } from "./lambda/functions.ts";
import type { ProviderSimulator } from "./provider/simulator.ts";
import type { Platform } from "./provider/wire/oauth.ts";
import type { RunningStack } from "./stack-file.ts";
import { startParts } from "./start-parts.ts";
import type { StackModel } from "./template/model.ts";

export type LocalCloudOptions = {
  /** A synthesised assembly with one stack. */
  assemblyDirectory: string;
  /** Tables, clock, keys and generated secrets are kept there from one start to the next. */
  dataDirectory: string;
  /** Of the first HTTP API; 0 for any that is free. */
  port: number;
  /** A DynamoDB-compatible endpoint in place of the embedded engine. */
  dynamodbEndpoint?: string;
  /** Instances of one function at most; further requests wait. */
  maxInstances?: number;
  audience?: string;
  claimNames?: { organization: string; role: string };
  /** A server that speaks the payment provider's protocol, in place of the simulator. */
  providerApiUrl?: string;
  /** The platform's own credentials at that server, or at the simulator. */
  providerOauth?: Platform;
  /** Replaces variables that a function's template declares; adds none. ISSUER and AUDIENCE are replaced anyway. */
  environment?: Readonly<Record<string, string>>;
  /** A line from a function (`source` is its logical id) or from the local cloud itself. */
  log: (source: string, line: string) => void;
};

export type LocalCloud = {
  stack: RunningStack;
  model: StackModel;
  functions: Pick<Functions, "invoke" | "list">;
  advanceClock: AdvanceClock;
  /** Calls that a role did not allow, in order; each was also logged. */
  denials: readonly Denial[];
  /** The account of the simulator that a first look is taken at; none where another server stands in its place. */
  demo: ProviderSimulator["demo"] | undefined;
  stop(): Promise<void>;
};

/**
 * Runs an assembly on this machine, until `stop`. What was started is stopped again when a later part does not start.
 * @throws Error that says what to do: taken port, data directory in use, a template that is not understood.
 */
export const startLocalCloud = async (options: LocalCloudOptions): Promise<LocalCloud> => {
  const stops: (() => unknown)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      for (const one of stops.splice(0).reverse()) await one();
    })();
    return stopped;
  };
  try {
    return { ...(await startParts(options, (one) => stops.push(one))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
