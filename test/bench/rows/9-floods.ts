/**
 * A flood of refused requests from 20 addresses on the local cloud: what it costs in write units, and how long another
 * organization waits for the same function concurrently. The flood, the other client and the service share this machine, so
 * the latency is an upper bound.
 */
import { request } from "node:http";
import type { LocalCloud } from "../../../infra/local/cloud/local-cloud.ts";
import { tokenOf, withMeteredCloud } from "../bench-cloud.ts";
import { type Budget, judgedRow, type Measurement, type Row } from "../row.ts";
import { median } from "../statistics.ts";

const UNITS_PER_THOUSAND: Budget = { limit: 1_000 };
const LATENCY: Budget = { limit: 250 };
const ADDRESSES = Array.from({ length: 20 }, (_, index) => `127.0.2.${index + 1}`);
const AT_ONCE = 20;

type Sent = { url: string; method?: string; localAddress?: string; headers: Record<string, string>; body?: string };

const send = ({ url, body, ...options }: Sent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    });
    sent.once("error", reject).end(body);
  });

const expectStatus = async (sent: Sent, status: number): Promise<void> => {
  const answered = await send(sent);
  if (answered !== status) throw new Error(`${sent.url} answered ${answered} instead of ${status}`);
};

/** Sends requests from all addresses, some at once, until `isOver`. @returns how many were sent. */
const flood = async (requestOf: (index: number) => Sent, status: number, isOver: (sent: number) => boolean) => {
  let sent = 0;
  const sender = async () => {
    while (!isOver(sent)) {
      const index = sent++;
      const localAddress = ADDRESSES[index % ADDRESSES.length] ?? "";
      await expectStatus({ ...requestOf(index), localAddress }, status);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return sent;
};

/** The time of each of some requests one after the other, ms. */
const times = async (count: number, one: () => Promise<void>): Promise<number[]> => {
  const durations: number[] = [];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    await one();
    durations.push(performance.now() - startedAt);
  }
  return durations;
};

const measureOn = async (cloud: LocalCloud, readWrites: () => number, isQuick: boolean): Promise<Row[]> => {
  const { apiUrl, webhookUrl } = cloud.stack;
  const expired = await tokenOf(cloud, { organizationId: "attacked", userId: "eve", expiresInSeconds: -120 });
  const genuine = await tokenOf(cloud, { organizationId: "other" });
  const plants = (token: string): Sent => ({ url: `${apiUrl}/plants`, headers: { authorization: `Bearer ${token}` } });
  const forged: Sent = {
    url: `${webhookUrl}/attacked`,
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json", "stripe-signature": `t=1,v1=${"0".repeat(64)}` },
  };
  const genuineRead = () => expectStatus(plants(genuine), 200);
  const count = isQuick ? 500 : 2_000;
  const reads = isQuick ? 50 : 200;

  await times(20, genuineRead);
  const quiet = median(await times(reads, genuineRead));

  const unitsRow = async (metric: string, requestOf: () => Sent, status: number): Promise<Row> => {
    readWrites();
    const sent = await flood(requestOf, status, (begun) => begun >= count);
    const units = Math.round((readWrites() / sent) * 1_000);
    return judgedRow(`${metric}, ${sent} at once from ${ADDRESSES.length} addresses`, units, UNITS_PER_THOUSAND, {
      unit: "write units per 1,000",
    });
  };
  const tokens = await unitsRow("refused tokens of an organization", () => plants(expired), 401);
  const webhooks = await unitsRow("forged webhooks", () => forged, 400);

  let isOver = false;
  const flooding = flood(
    () => plants(expired),
    401,
    () => isOver,
  );
  const busy = await times(reads, genuineRead).finally(() => {
    isOver = true;
  });
  const refused = await flooding;
  const underFlood = Math.round(median(busy));
  return [
    tokens,
    webhooks,
    judgedRow(
      `another organization's read while ${refused} tokens are refused by the same function: median`,
      underFlood,
      LATENCY,
      { unit: "ms", measured: `${underFlood} ms (${Math.round(quiet)} ms without the flood)` },
    ),
  ];
};

export const measurement: Measurement = {
  title: "Floods",
  measure: (bench) =>
    withMeteredCloud(bench, ({ cloud, proxy }) => measureOn(cloud, () => proxy.read().writes, bench.options.quick)),
};
