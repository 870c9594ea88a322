/** Measures what a day of the service uses: the deployed bundles on the local cloud, with a metered store. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { type LocalCloud, startLocalCloud } from "../../../infra/local/cloud/local-cloud.ts";
import { startDynamoDb } from "../../../infra/local/dynamodb/engine.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { simulatedProvider } from "../../support/simulated-provider.ts";
import { webhookSender } from "../../support/webhook-sender.ts";
import { startMeteringProxy } from "../mocks/metering-proxy.ts";
import type { Bench } from "../row.ts";
import { type Measured, minus, type PartUnits, sumParts, times, type Usage } from "./usage.ts";

const ORGANIZATIONS = 10;
/** Objects of each organization's account. */
const OBJECTS = 40;
const REPEATS = 20;
const SECRET = "whsec_of_the_benchmark";
const INTEGRATION = "/api/integrations/provider";

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

const bytesOf = (item: object): number =>
  JSON.stringify(item, (_, value) => (value instanceof Uint8Array ? "0".repeat(value.length) : value)).length;

/** The bytes of all items, in tables and indexes: DynamoDB bills both. */
const readStoredBytes = async ({ model }: LocalCloud, endpoint: string): Promise<number> => {
  const credentials = { accessKeyId: "bench", secretAccessKey: "bench" };
  const client = new DynamoDBClient({ endpoint, region: model.region, credentials });
  let bytes = 0;
  for (const { definition } of model.tables) {
    const indexes = definition.GlobalSecondaryIndexes ?? [];
    for (const index of [{}, ...indexes.map(({ IndexName }) => ({ IndexName }))])
      for await (const page of paginateScan({ client }, { TableName: definition.TableName, ...index }))
        bytes += sumOf((page.Items ?? []).map(bytesOf));
  }
  client.destroy();
  return bytes;
};

type Used = { usage: Usage; parts: PartUnits };

/** `securityEvents` of the logical id `TablesSecurityEvents09AF31CE`. */
const tableOf = (logicalId: string): string =>
  logicalId.replace(/^Tables(.)(.*)[0-9A-F]{8}$/, (_, first: string, rest: string) => first.toLowerCase() + rest);

/** A local cloud whose usage can be read; the clock stands at the start of an hour. */
const startMeteredCloud = async (bench: Bench, onStop: (stop: () => Promise<void>) => void) => {
  const engine = await startDynamoDb({});
  onStop(() => engine.stop());
  const proxy = await startMeteringProxy(engine.endpoint);
  onStop(() => proxy.stop());
  let logBytes = 0;
  let busInvocations = 0;
  const cloud = await startLocalCloud({
    assemblyDirectory: bench.assemblyDirectory,
    dataDirectory: mkdtempSync(join(bench.workDirectory, "day-")),
    port: 0,
    dynamodbEndpoint: proxy.endpoint,
    log: (source, line) => {
      if (source !== "local cloud") logBytes += Buffer.byteLength(line);
    },
    observe: (observation) => {
      // Each rule of the service has one target.
      if (observation.kind === "event") busInvocations += observation.rules.length;
    },
  });
  onStop(() => cloud.stop());
  let units = { reads: 0, writes: 0 };
  let parts: PartUnits = {};
  const namesInTemplate = new Map(cloud.model.tables.map(({ name, logicalId }) => [name, tableOf(logicalId)]));
  const partNameOf = (name: string): string => name.replace(/^[^/]+/, (table) => namesInTemplate.get(table) ?? table);

  return {
    cloud,
    /** Everything used since the start, and its request units by table and index. */
    async usage(): Promise<Used> {
      const { reads, writes, parts: since } = proxy.read();
      units = { reads: units.reads + reads, writes: units.writes + writes };
      const named = Object.fromEntries([...since].map(([name, one]) => [partNameOf(name), one]));
      parts = sumParts([
        [parts, 1],
        [named, 1],
      ]);
      const functions = cloud.functions.list();
      const calls = Object.entries(cloud.calls());
      const callsOf = (prefix: string) =>
        sumOf(calls.flatMap(([action, count]) => (action.startsWith(prefix) ? [count] : [])));
      const signingCalls = callsOf("kms:Sign") + callsOf("kms:GetPublicKey");
      const usage = {
        ...units,
        storedBytes: await readStoredBytes(cloud, engine.endpoint),
        logBytes,
        invocations: sumOf(functions.map(({ invocations }) => invocations)),
        functionMs: sumOf(functions.map(({ invocationMs }) => invocationMs)),
        busEvents: callsOf("events:"),
        busInvocations,
        kmsCalls: callsOf("kms:") - signingCalls,
        signingCalls,
      };
      return { usage, parts };
    },
  };
};

type MeteredCloud = Awaited<ReturnType<typeof startMeteredCloud>>;

const difference = (a: Used, b: Used): Used => ({
  usage: minus(a.usage, b.usage),
  parts: sumParts([
    [a.parts, 1],
    [b.parts, -1],
  ]),
});

const share = ({ usage, parts }: Used, factor: number): Used => ({
  usage: times(usage, factor),
  parts: sumParts([[parts, factor]]),
});

/** Without tables and indexes that the work does not use. */
const usedParts = ({ parts }: Used): PartUnits =>
  Object.fromEntries(Object.entries(parts).filter(([, { reads, writes }]) => reads > 0 || writes > 0));

/** What the work uses. */
const measure = async ({ usage }: MeteredCloud, work: () => Promise<unknown>): Promise<Used> => {
  const before = await usage();
  await work();
  return difference(await usage(), before);
};

const requestsTo = async ({ stack }: LocalCloud, organizationId: string) => {
  const headers = { "content-type": "application/json" };
  const minted = await fetch(`${stack.issuerUrl}/token`, {
    method: "POST",
    headers,
    body: JSON.stringify({ organizationId, expiresInSeconds: 80_000 }),
  });
  const { access_token: token } = (await minted.json()) as { access_token: string };
  return async (method: string, path: string, body?: object): Promise<void> => {
    const response = await fetch(`${stack.apiUrl}${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
};

const repeatedly = async (work: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 1; index <= REPEATS; index++) await work(index);
};

const measureRequests = async (metered: MeteredCloud): Promise<Record<"sync" | "webhook" | "write" | "read", Used>> => {
  const { cloud } = metered;
  const send = await requestsTo(cloud, "organization-0");
  const webhooks = webhookSender(cloud, "organization-0", SECRET);
  const deliver = async (index: number) => webhooks.send(await webhooks.customerEvent("updated", `cus_bench_${index}`));
  const create = (index: number) => send("POST", "/plants", { id: index, name: "Monstera" });
  const sync = async () => {
    await send("POST", `${INTEGRATION}/sync`);
    await cloud.advanceClock(0);
  };
  const list = () => send("GET", `${INTEGRATION}/security?limit=50`);
  // The first of each pays for what an instance or an hour does once.
  await Promise.all([deliver(0), create(0), list()]);
  await sync();
  const each = async (work: (index: number) => Promise<unknown>): Promise<Used> =>
    share(
      await measure(metered, async () => {
        await repeatedly(work);
        await cloud.advanceClock(0);
      }),
      1 / REPEATS,
    );
  return { sync: await each(sync), webhook: await each(deliver), write: await each(create), read: await each(list) };
};

/** @param resources what the template bills while nothing happens. */
export const measureUsage = async (bench: Bench, resources: Measured["resources"]): Promise<Measured> => {
  const stops: (() => Promise<void>)[] = [];
  try {
    const metered = await startMeteredCloud(bench, (stop) => stops.push(stop));
    const { cloud } = metered;
    const passDay = () => measure(metered, () => cloud.advanceClock(DAY_MS));
    await cloud.advanceClock(HOUR_MS - (Date.now() % HOUR_MS) + 60_000);

    // From then on, each step of sealing deletes as many slots as it stores.
    await cloud.advanceClock(2 * DAY_MS + HOUR_MS);
    bench.progress("… a day without organizations");
    const idleDay = await passDay();

    bench.progress(`… a day of ${ORGANIZATIONS} organizations`);
    const { apiKey } = await simulatedProvider(cloud).account(OBJECTS);
    for (let i = 0; i < ORGANIZATIONS; i++) {
      const send = await requestsTo(cloud, `organization-${i}`);
      await send("PUT", `${INTEGRATION}/connection`, { method: "api_key", apiKey, webhookSecret: SECRET });
    }
    // The first syncs and the first day's reports are not part of a quiet day.
    await cloud.advanceClock(2 * DAY_MS);
    const organizationDay = share(difference(await passDay(), idleDay), 1 / ORGANIZATIONS);

    bench.progress("… requests and webhooks");
    const { sync, webhook, write, read } = await measureRequests(metered);
    const functions = cloud.functions.list();
    const today = new Date().toISOString().slice(0, 10);
    return {
      measuredOn: today,
      timesMeasuredOn: today,
      node: process.version,
      idleDay: idleDay.usage,
      organizationDay: organizationDay.usage,
      sync: sync.usage,
      webhook: webhook.usage,
      write: write.usage,
      read: read.usage,
      parts: {
        organizationDay: usedParts(organizationDay),
        webhook: usedParts(webhook),
        write: usedParts(write),
        read: usedParts(read),
      },
      initMs: sumOf(functions.map(({ initMs }) => initMs)) / sumOf(functions.map(({ coldStarts }) => coldStarts)),
      resources,
    };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};
