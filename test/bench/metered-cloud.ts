/** A local cloud for one measurement, with a store that counts request units, and requests of an administrator to it. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { startDynamoDb } from "../../infra/local/dynamodb/engine.ts";
import { type LocalCloud, startLocalCloud } from "../../infra/local/local-cloud.ts";
import { startMeteringProxy } from "./mocks/metering-proxy.ts";
import type { Bench } from "./row.ts";

/** `engineUrl`: the store past its meter, for data that the measurement needs. */
export type MeteredCloud = {
  cloud: LocalCloud;
  proxy: Awaited<ReturnType<typeof startMeteringProxy>>;
  engineUrl: string;
};

/** Starts everything, and stops it after the work, in the reverse order. */
export const withMeteredCloud = async <Result>(
  { assemblyDirectory, workDirectory }: Pick<Bench, "assemblyDirectory" | "workDirectory">,
  work: (metered: MeteredCloud) => Promise<Result>,
): Promise<Result> => {
  const engine = await startDynamoDb({});
  const proxy = await startMeteringProxy(engine.endpoint);
  const cloud = await startLocalCloud({
    assemblyDirectory,
    dataDirectory: mkdtempSync(join(workDirectory, "metered-")),
    port: 0,
    dynamodbEndpoint: proxy.endpoint,
    log: () => undefined,
  });
  try {
    return await work({ cloud, proxy, engineUrl: engine.endpoint });
  } finally {
    await cloud.stop();
    await proxy.stop();
    await engine.stop();
  }
};

const INTEGRATION = "/api/integrations/provider";

/** Requests of an organization's administrator. The function takes paths of the integration and throws unless they succeed. */
export const requestsTo = async ({ stack }: LocalCloud, organizationId: string) => {
  const headers = { "content-type": "application/json" };
  const minted = await fetch(`${stack.issuerUrl}/token`, {
    method: "POST",
    headers,
    body: JSON.stringify({ organizationId, role: "admin", userId: "ada", expiresInSeconds: 80_000 }),
  });
  const { access_token: token } = (await minted.json()) as { access_token: string };
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${stack.apiUrl}${INTEGRATION}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
};
