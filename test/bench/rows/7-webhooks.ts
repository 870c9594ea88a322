/**
 * The cost of a webhook before the provider receives its answer: the time of a warm receive-webhook on the local cloud
 * (store, bus and keys on this machine), and the request units of each kind of delivery.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalCloud } from "../../../infra/local/cloud/local-cloud.ts";
import { webhookSender } from "../../support/webhook-sender.ts";
import { requestsTo, withCloud, withMeteredCloud } from "../bench-cloud.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row } from "../row.ts";
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

/** An organization that expects webhooks, and their sender. */
const connect = async (cloud: LocalCloud) => {
  const request = await requestsTo(cloud, ORGANIZATION);
  const credentials = { method: "api_key", apiKey: cloud.demo?.apiKey, webhookSecret: SECRET };
  await request("PUT", "/connection", credentials);
  await cloud.advanceClock(0);
  return webhookSender(cloud, ORGANIZATION, SECRET);
};

/** Resolves when all work that deliveries caused has ended. The simulator sends no deliveries here. */
const settled = ({ stack }: LocalCloud) => fetch(`${stack.controlUrl}/provider/webhooks/flush`, { method: "POST" });

const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? Number.NaN;

const measureTime = (bench: Bench): Promise<Row[]> => {
  /** The time of each delivery, ms. */
  const durations: number[] = [];
  const log = (_: unknown, line: string) => {
    if (!line.includes(`"${ROUTE}"`)) return;
    const { status, durationMs } = JSON.parse(line) as { status: number; durationMs: number };
    if (status !== 200) throw new Error(line);
    durations.push(durationMs);
  };
  const work = async (cloud: LocalCloud) => {
    const sender = await connect(cloud);
    const count = bench.options.quick ? 100 : 400;
    for (let sent = 0; sent < WARM_UP + count; sent++) {
      await sender.send(await sender.customerEvent("updated", `cus_${sent % 50}`));
      await sleep(PAUSE_MS);
    }
    const warm = durations.slice(WARM_UP);
    const row = (metric: string, value: number) =>
      judgedRow(metric, value, TIME, { unit: "ms", measured: `${value} ms (${warm.length} deliveries)` });
    return [
      row("acknowledge an event, warm: median", median(warm)),
      row("acknowledge an event, warm: p90", quantile(warm, 0.9)),
    ];
  };
  return withCloud(bench, work, { log });
};

const measureUnits = (bench: Bench): Promise<Row[]> =>
  withMeteredCloud(bench, async ({ cloud, proxy }) => {
    const sender = await connect(cloud);
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
      return plainRow(metric, `${+(units / METERED).toFixed(2)} units (${kinds.join(", ")})`);
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

export const measurement: Measurement = {
  title: "Webhooks",
  measure: async (bench) => [...(await measureTime(bench)), ...(await measureUnits(bench))],
};
