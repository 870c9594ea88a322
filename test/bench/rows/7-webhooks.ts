/**
 * The cost of a webhook before the provider receives its answer: the time of a warm receive-webhook on the local cloud
 * (store, bus and keys on this machine), and the request units of each kind of delivery.
 */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDynamoDb } from "../../../infra/local/dynamodb/engine.ts";
import { type LocalCloud, startLocalCloud } from "../../../infra/local/local-cloud.ts";
import { webhookSender } from "../../support/webhook-sender.ts";
import { startMeteringProxy } from "../mocks/metering-proxy.ts";
import { type Bench, type Budget, budgetText, judge, type Measurement, type Row } from "../row.ts";
import { median } from "../statistics.ts";

const ORGANIZATION = "acme";
const SECRET = "whsec_of_the_benchmark";
/** The number of deliveries before the measurement of time, to warm the instance up. */
const WARM_UP = 40;
const TIME: Budget = { limit: 100 };
/** The provider's interval on a busy day. It leaves time for processing, which another instance does. */
const PAUSE_MS = 40;
const METERED = 20;
const ROUTE = "POST /{organizationId}";

type Work = (sender: ReturnType<typeof webhookSender>, cloud: LocalCloud, durations: number[]) => Promise<Row[]>;

/** A local cloud with one organization that expects webhooks; `durations` receives the time of each delivery in ms. */
const withCloud = async (bench: Bench, dynamodbEndpoint: string | undefined, work: Work): Promise<Row[]> => {
  const durations: number[] = [];
  const cloud = await startLocalCloud({
    assemblyDirectory: bench.assemblyDirectory,
    dataDirectory: mkdtempSync(join(bench.workDirectory, "webhooks-")),
    port: 0,
    ...(dynamodbEndpoint !== undefined && { dynamodbEndpoint }),
    log: (_, line) => {
      if (!line.includes(`"${ROUTE}"`)) return;
      const { status, durationMs } = JSON.parse(line) as { status: number; durationMs: number };
      if (status !== 200) throw new Error(line);
      durations.push(durationMs);
    },
  });
  try {
    const { apiUrl, issuerUrl } = cloud.stack;
    const json = { "content-type": "application/json" };
    const post = (url: string, body: object) =>
      fetch(url, { method: "POST", headers: json, body: JSON.stringify(body) });
    const minted = await post(`${issuerUrl}/token`, { organizationId: ORGANIZATION, role: "admin", userId: "ada" });
    const { access_token: token } = (await minted.json()) as { access_token: string };
    const connected = await fetch(`${apiUrl}/api/integrations/provider/connection`, {
      method: "PUT",
      headers: { ...json, authorization: `Bearer ${token}` },
      body: JSON.stringify({ method: "api_key", apiKey: cloud.demo?.apiKey, webhookSecret: SECRET }),
    });
    if (!connected.ok) throw new Error(`PUT connection answered ${connected.status}: ${await connected.text()}`);
    await cloud.advanceClock(0);
    return await work(webhookSender(cloud, ORGANIZATION, SECRET), cloud, durations);
  } finally {
    await cloud.stop();
  }
};

/** Resolves when all work that deliveries caused has ended. The simulator sends no deliveries here. */
const settled = ({ stack }: LocalCloud) => fetch(`${stack.controlUrl}/provider/webhooks/flush`, { method: "POST" });

const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN;

const measureTime = (bench: Bench): Promise<Row[]> =>
  withCloud(bench, undefined, async (sender, _, durations) => {
    const count = bench.options.quick ? 100 : 400;
    for (let sent = 0; sent < WARM_UP + count; sent++) {
      await sender.send(await sender.customerEvent("updated", `cus_${sent % 50}`));
      await sleep(PAUSE_MS);
    }
    const warm = durations.slice(WARM_UP);
    const row = (metric: string, value: number): Row => ({
      metric,
      budget: budgetText(TIME, "ms"),
      measured: `${value} ms (${warm.length} deliveries)`,
      verdict: judge(value, TIME),
    });
    return [
      row("acknowledge an event, warm: median", median(warm)),
      row("acknowledge an event, warm: p90", quantile(warm, 0.9)),
    ];
  });

const measureUnits = async (bench: Bench): Promise<Row[]> => {
  const engine = await startDynamoDb({});
  const proxy = await startMeteringProxy(engine.endpoint);
  try {
    return await withCloud(bench, proxy.endpoint, async (sender, cloud) => {
      const event = (index: number) => sender.customerEvent("updated", `cus_bench_${index}`);
      // Work that an instance does once per hour is not part of a delivery's cost.
      await sender.send(await event(0));
      await settled(cloud);

      const meter = async (metric: string, send: (index: number) => Promise<unknown>): Promise<Row> => {
        proxy.read();
        for (let index = 1; index <= METERED; index++) await send(index);
        await settled(cloud);
        const { units, calls } = proxy.read();
        const kinds = [...Map.groupBy(calls, (name) => name)].map(
          ([name, found]) => `${+(found.length / METERED).toFixed(2)} ${name}`,
        );
        return {
          metric,
          budget: "",
          measured: `${+(units / METERED).toFixed(2)} units (${kinds.join(", ")})`,
          verdict: "",
        };
      };
      const sent = await Promise.all(Array.from({ length: METERED + 1 }, (_, index) => event(index)));
      return [
        await meter("a new event, processed and applied to a new record", (index) => sender.send(sent[index])),
        await meter("the same event again", (index) => sender.send(sent[index])),
        await meter("an event of an unused type", async (index) =>
          sender.send({ ...(await event(index)), type: "balance.available" }),
        ),
      ];
    });
  } finally {
    await proxy.stop();
    await engine.stop();
  }
};

export const measurement: Measurement = {
  title: "Webhooks",
  measure: async (bench) => [...(await measureTime(bench)), ...(await measureUnits(bench))],
};
