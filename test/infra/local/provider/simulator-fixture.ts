import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import type { JsonAnswer } from "../../../../infra/local/http/json-server.ts";
import { type ProviderSimulator, startProviderSimulator } from "../../../../infra/local/provider/simulator.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const START_MS = Date.UTC(2027, 2, 15, 12, 30, 5);

/** Where the platform has people return to. */
export const REGISTERED = "http://127.0.0.1:9/console/connection";

/** A data directory after the first start. One test file of the run seeds it, and each simulator has a copy. */
const seededDirectory = async (): Promise<string> => {
  const directory = join(tmpdir(), "provider-seeded");
  if (existsSync(directory)) return directory;
  const seeded = mkdtempSync(`${directory}-`);
  const options = { dataDirectory: seeded, clock: { now: () => START_MS }, onError: console.error };
  await (await startProviderSimulator(options)).close();
  try {
    renameSync(seeded, directory);
  } catch {
    // Another test file was faster.
    rmSync(seeded, { recursive: true });
  }
  return directory;
};

/** A simulator with its own data directory and a clock that only `pass` advances. */
export const createFixture = async (options: { rateLimit?: number } = {}) => {
  const dataDirectory = newDirectory("provider-");
  cpSync(await seededDirectory(), dataDirectory, { recursive: true });
  const errors: unknown[] = [];
  let nowMs = START_MS;
  let simulator: ProviderSimulator;
  const start = async () => {
    simulator = await startProviderSimulator({
      ...options,
      dataDirectory,
      clock: { now: () => nowMs },
      registeredRedirect: REGISTERED,
      onError: (error) => errors.push(error),
    });
  };
  await start();

  const control = async (route: string, body?: unknown, query = ""): Promise<JsonAnswer> => {
    const work = simulator.controlRoutes[route];
    if (work === undefined) throw new Error(`no route ${route}`);
    return work({ parameters: {}, query: new URLSearchParams(query), body });
  };

  return {
    errors,
    now: () => nowMs,
    nowSeconds: () => Math.floor(nowMs / 1000),
    pass(ms: number) {
      nowMs += ms;
    },
    get simulator() {
      return simulator;
    },
    /** The official SDK, unmodified, without retries. */
    sdk: (key = simulator.demo.apiKey, config: Stripe.StripeConfig = {}) => {
      const { hostname, port } = new URL(simulator.url);
      return new Stripe(key, {
        host: hostname,
        port,
        protocol: "http",
        maxNetworkRetries: 0,
        telemetry: false,
        ...config,
      });
    },
    control,
    /** Calls the control server. @throws Error if the status is not 200 */
    async request<T = Record<string, unknown>>(route: string, body?: unknown): Promise<T> {
      const { status, body: answer } = await control(route, body);
      if (status !== 200) throw new Error(`${route} answered ${status} ${JSON.stringify(answer)}`);
      return answer as T;
    },
    /** @param concurrently gets the data directory. */
    async restart(meanwhile?: (dataDirectory: string) => void) {
      await simulator.close();
      meanwhile?.(dataDirectory);
      await start();
    },
    async stop() {
      await simulator.close();
    },
  };
};

/** The error that the SDK throws. @throws Error if it throws none */
export const thrownBy = async (
  work: () => Promise<unknown>,
): Promise<InstanceType<typeof Stripe.errors.StripeError>> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

export type Happened = {
  objects: { object: string; id: string }[];
  events: { id: string; type: string; created: number }[];
};
