/** A local cloud for one measurement, also with a store that counts request units, and requests of an administrator to it. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type LocalCloud, startLocalCloud } from "../../infra/local/cloud/local-cloud.ts";
import type { LocalCloudOptions } from "../../infra/local/cloud/local-cloud-options.ts";
import { startDynamoDb } from "../../infra/local/dynamodb/engine.ts";
import { prepareAssembly } from "../../infra/prepare-assembly.ts";
import { type PageBrowser, startChromium } from "../support/browser.ts";
import { consoleOrigins } from "../support/console.ts";
import { startMeteringProxy } from "./mocks/metering-proxy.ts";
import type { Bench } from "./row.ts";

/** `engineUrl`: the store past its meter, for data that the measurement needs. */
export type MeteredCloud = {
  cloud: LocalCloud;
  proxy: Awaited<ReturnType<typeof startMeteringProxy>>;
  engineUrl: string;
};

type Directories = Pick<Bench, "assemblyDirectory" | "workDirectory">;

/** Starts a cloud with an empty data directory, and stops it after the work. */
export const withCloud = async <Result>(
  { assemblyDirectory, workDirectory }: Directories,
  work: (cloud: LocalCloud) => Promise<Result>,
  options: Partial<LocalCloudOptions> = {},
): Promise<Result> => {
  const dataDirectory = mkdtempSync(join(workDirectory, "cloud-"));
  const cloud = await startLocalCloud({ assemblyDirectory, dataDirectory, port: 0, log: () => undefined, ...options });
  try {
    return await work(cloud);
  } finally {
    await cloud.stop();
  }
};

/** Starts everything, and stops it after the work, in the reverse order. */
export const withMeteredCloud = async <Result>(
  directories: Directories,
  work: (metered: MeteredCloud) => Promise<Result>,
): Promise<Result> => {
  const engine = await startDynamoDb({});
  const proxy = await startMeteringProxy(engine.endpoint);
  try {
    return await withCloud(directories, (cloud) => work({ cloud, proxy, engineUrl: engine.endpoint }), {
      dynamodbEndpoint: proxy.endpoint,
    });
  } finally {
    await proxy.stop();
    await engine.stop();
  }
};

/** The console on a cloud of its own, and the browser of the tests. */
export const withConsole = async <Result>(
  workDirectory: string,
  work: (console: { cloud: LocalCloud; browser: PageBrowser }) => Promise<Result>,
): Promise<Result> => {
  // The stack of `npm start`: the console has a client at the issuer.
  const assemblyDirectory = await prepareAssembly(join(workDirectory, "console-assembly"));
  return withCloud({ assemblyDirectory, workDirectory }, async (cloud) => {
    const browser = await startChromium(consoleOrigins(cloud));
    try {
      return await work({ cloud, browser });
    } finally {
      await browser.stop();
    }
  });
};

const INTEGRATION = "/api/integrations/provider";

const JSON_TYPE = { "content-type": "application/json" };

/** An access token of the local issuer. */
export const tokenOf = async ({ stack }: LocalCloud, claims: object): Promise<string> => {
  const answer = await fetch(`${stack.issuerUrl}/token`, {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify(claims),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
};

/** Requests of an organization's administrator. The function takes paths of the integration and throws unless they succeed. */
export const requestsTo = async (cloud: LocalCloud, organizationId: string) => {
  const token = await tokenOf(cloud, { organizationId, role: "admin", userId: "ada", expiresInSeconds: 80_000 });
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${cloud.stack.apiUrl}${INTEGRATION}${path}`, {
      method,
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
};
