import { isDeepStrictEqual } from "node:util";
import type { Activity } from "../core/activity.ts";
import type { Clock } from "../core/clock.ts";
import type { StackModel } from "../core/model.ts";
import { startFunctionUrl } from "../front-ends/function-url.ts";
import { startHttpApi } from "../front-ends/http-api.ts";
import type { ObserveAnswers } from "../front-ends/observe-requests.ts";
import { type HeldPort, holdPort, type Listening } from "../http/listen.ts";
import type { Authorizer } from "../iam/authorizer.ts";
import type { Functions } from "../lambda/functions.ts";
import { FUNCTION_URL } from "../stack/functions.ts";
import { HTTP_API, ROUTE } from "../stack/http-api.ts";
import { readAssembly } from "../template/read-assembly.ts";

/** How long `stop` waits for requests under way. */
const GRACE_MS = 3_000;

type OnStop = (stop: () => unknown) => void;

/** Ports that are taken for servers to come: of each HTTP API and function URL, by its logical id. */
export type FrontEndPorts = ReadonlyMap<string, HeldPort>;

/** The logical ids of an assembly's HTTP APIs and function URLs. The API with the most routes comes first. */
export const frontEndIds = async (assemblyDirectory: string): Promise<{ apis: string[]; functionUrls: string[] }> => {
  const { template } = await readAssembly(assemblyDirectory);
  const resources = Object.entries(template.Resources);
  const idsOf = (type: string) => resources.flatMap(([logicalId, { Type }]) => (Type === type ? [logicalId] : []));
  const routesOf = (api: string) =>
    resources.filter(([, { Type, Properties }]) => Type === ROUTE && isDeepStrictEqual(Properties.ApiId, { Ref: api }));
  return {
    apis: idsOf(HTTP_API).toSorted((a, b) => routesOf(b).length - routesOf(a).length),
    functionUrls: idsOf(FUNCTION_URL),
  };
};

/**
 * Takes the ports before the template is read, since it asks for the URLs.
 * @param options.port of the API with the most routes; 0 for any that is free
 */
export const holdFrontEndPorts = async (options: {
  assemblyDirectory: string;
  port: number;
  onStop: OnStop;
}): Promise<FrontEndPorts> => {
  const { apis, functionUrls } = await frontEndIds(options.assemblyDirectory);
  const ports = new Map<string, HeldPort>();
  for (const logicalId of [...apis, ...functionUrls]) {
    const held = await holdPort(logicalId === apis[0] ? options.port : 0);
    options.onStop(held.release);
    ports.set(logicalId, held);
  }
  return ports;
};

/**
 * Starts the template's HTTP APIs and function URLs, at the ports that were held for them.
 * @returns base URLs, as the stack file has them. Webhooks have an API of their own, or the first function URL.
 */
export const startFrontEnds = async (options: {
  ports: FrontEndPorts;
  model: StackModel;
  functions: Pick<Functions, "invoke">;
  authorizer: Authorizer;
  clock: Clock;
  activity: Activity;
  log: (line: string) => void;
  observed: ObserveAnswers;
  onStop: OnStop;
}): Promise<{ apiUrl?: string; consoleUrl?: string; webhookUrl?: string }> => {
  const { ports, model, log, onStop, ...around } = options;
  const { accountId, httpApis, functionUrls } = model;

  /** `name` for the log. */
  const start = async (name: string, logicalId: string, listenAt: (port: number) => Promise<Listening>) => {
    const held = ports.get(logicalId);
    await held?.release();
    const { url, close } = await listenAt(held?.port ?? 0);
    onStop(() => close(GRACE_MS));
    return { name: `${name} ${logicalId}`, url };
  };

  const apis: { name: string; url: string }[] = [];
  for (const api of httpApis)
    apis.push(await start("HTTP API", api.logicalId, (port) => startHttpApi({ ...around, api, accountId, port, log })));
  const urls: typeof apis = [];
  for (const functionUrl of functionUrls)
    urls.push(
      await start("function URL", functionUrl.logicalId, (port) =>
        startFunctionUrl({ ...around, functionUrl, port, log }),
      ),
    );

  const [api, ...otherApis] = apis;
  const [webhooks, ...others] = [...otherApis, ...urls];
  for (const { name, url } of others) log(`the ${name} answers at ${url}`);
  const [apiUrl, webhookUrl] = [api?.url, webhooks?.url];
  return {
    ...(apiUrl !== undefined && { apiUrl, consoleUrl: `${apiUrl}/console` }),
    ...(webhookUrl !== undefined && { webhookUrl }),
  };
};
