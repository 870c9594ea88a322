import type { Activity } from "./core/activity.ts";
import type { Clock } from "./core/clock.ts";
import type { StackModel } from "./core/model.ts";
import { startFunctionUrl } from "./front-ends/function-url.ts";
import { startHttpApi } from "./front-ends/http-api.ts";
import { type HeldPort, holdPort } from "./http/listen.ts";
import type { Authorizer } from "./iam/authorizer.ts";
import type { Functions } from "./lambda/functions.ts";
import { FUNCTION_URL } from "./stack/functions.ts";
import { readAssembly } from "./template/read-assembly.ts";

/** How long `stop` waits for requests under way. */
const GRACE_MS = 3_000;

type OnStop = (stop: () => unknown) => void;

/** Ports that are taken for servers to come: of the first HTTP API, and of each function URL by its logical id. */
export type FrontEndPorts = { api: HeldPort; functionUrls: ReadonlyMap<string, HeldPort> };

/** The logical ids of an assembly's function URLs. */
export const functionUrlIds = async (assemblyDirectory: string): Promise<string[]> => {
  const { template } = await readAssembly(assemblyDirectory);
  return Object.entries(template.Resources).flatMap(([logicalId, { Type }]) =>
    Type === FUNCTION_URL ? [logicalId] : [],
  );
};

/**
 * Takes the ports before the template is read, since it asks for the URLs.
 * @param options.port of the first HTTP API; 0 for any that is free
 */
export const holdFrontEndPorts = async (options: {
  assemblyDirectory: string;
  port: number;
  onStop: OnStop;
}): Promise<FrontEndPorts> => {
  const hold = async (port: number): Promise<HeldPort> => {
    const held = await holdPort(port);
    options.onStop(held.release);
    return held;
  };
  const api = await hold(options.port);
  const functionUrls = new Map<string, HeldPort>();
  for (const logicalId of await functionUrlIds(options.assemblyDirectory)) functionUrls.set(logicalId, await hold(0));
  return { api, functionUrls };
};

/**
 * Starts the template's HTTP API and its function URLs, at the ports that were held for them.
 * @returns the base URLs of the first of each, as the stack file has them
 */
export const startFrontEnds = async (options: {
  ports: FrontEndPorts;
  model: StackModel;
  functions: Pick<Functions, "invoke">;
  authorizer: Authorizer;
  clock: Clock;
  activity: Activity;
  log: (line: string) => void;
  onStop: OnStop;
}): Promise<{ apiUrl?: string; webhookUrl?: string }> => {
  const { ports, model, log, onStop, ...around } = options;
  const { accountId, httpApi, functionUrls } = model;

  await ports.api.release();
  if (httpApi !== undefined) {
    const server = await startHttpApi({ ...around, api: httpApi, accountId, port: ports.api.port, log });
    onStop(() => server.close(GRACE_MS));
  }

  const urls: string[] = [];
  for (const functionUrl of functionUrls) {
    const held = ports.functionUrls.get(functionUrl.logicalId);
    await held?.release();
    const server = await startFunctionUrl({ ...around, functionUrl, port: held?.port ?? 0, log });
    onStop(() => server.close(GRACE_MS));
    urls.push(server.url);
    if (urls.length > 1) log(`the function URL ${functionUrl.logicalId} answers at ${server.url}`);
  }

  const [webhookUrl] = urls;
  return {
    ...(httpApi !== undefined && { apiUrl: ports.api.url }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  };
};
