/**
 * How long an organization's notification takes beside 300 deliveries of another one whose receivers never answer. The queues
 * of the local cloud are not fair, so only the sender's bound helps. docs/notifications.md, "Tries under way".
 */
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalCloud } from "../../../infra/local/cloud/local-cloud.ts";
import { listen } from "../../../infra/local/http/listen.ts";
import { synthesise } from "../../../infra/synth.ts";
import { requestsTo, withCloud } from "../bench-cloud.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row, round } from "../row.ts";
import { median } from "../statistics.ts";

const [DESTINATIONS, ALERTS] = [20, 15];
/** One at a time; an organization may send ten in a minute. */
const SAMPLES = 5;
const SECONDS: Budget = { limit: 5 };
const POLL_MS = 20;

/** A listener that counts requests. @param answer undefined: none is answered. */
const startListener = async (answer?: (response: ServerResponse) => void) => {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      received += 1;
      answer?.(response);
    });
  });
  const { url, close } = await listen(server, 0);
  return { url, received: () => received, stop: close };
};
type Listener = Awaited<ReturnType<typeof startListener>>;

const until = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isDone())) await sleep(POLL_MS);
};

/** The messages of the queue of deliveries, with those that are hidden. */
const waiting = async ({ stack }: LocalCloud): Promise<number> => {
  const { queues } = (await (await fetch(stack.controlUrl)).json()) as {
    queues: { name: string; depth: { visible: number; inFlight: number } }[];
  };
  const found = queues.find(({ name }) => /ToSend(?!DeadLetters)/.test(name));
  return found === undefined ? 0 : found.depth.visible + found.depth.inFlight;
};

const measureOn = async (cloud: LocalCloud, silent: Listener, working: Listener): Promise<Row[]> => {
  const [hanging, other] = [await requestsTo(cloud, "hanging"), await requestsTo(cloud, "other")];
  const { id } = await other<{ id: string }>("POST", "/notifications", {
    type: "webhook",
    name: "Bench",
    url: working.url,
  });
  /** Seconds from the request for a sample to its arrival. */
  const sample = async (): Promise<number> => {
    const before = working.received();
    const startedAt = performance.now();
    await other("POST", `/notifications/${id}/test`, {});
    await until(() => working.received() > before);
    return (performance.now() - startedAt) / 1_000;
  };
  // The functions start cold.
  await sample();
  const alone = await sample();
  for (let i = 0; i < DESTINATIONS; i++)
    await hanging("POST", "/notifications", { type: "webhook", name: `${i}`, url: `${silent.url}/${i}` });
  for (let i = 1; i <= ALERTS; i++) {
    await hanging("POST", "/security/alert", { action: "generate_alert", title: `Alert ${i}`, riskLevel: "LOW" });
    await until(async () => (await waiting(cloud)) >= i * DESTINATIONS);
  }
  const beside: number[] = [];
  for (let i = 0; i < SAMPLES; i++) beside.push(await sample());
  return [
    plainRow("a sample without others", `${round(alone)} s`),
    judgedRow(
      `median of ${SAMPLES} samples beside ${DESTINATIONS * ALERTS} deliveries that hang`,
      median(beside),
      SECONDS,
      {
        unit: "s",
      },
    ),
    plainRow("the slowest of these", `${round(Math.max(...beside))} s`),
    plainRow("tries of these by then", String(silent.received())),
  ];
};

const measureFairness = async (bench: Bench): Promise<Row[]> => {
  const [silent, working] = [await startListener(), await startListener((response) => response.writeHead(204).end())];
  try {
    // The deployed default refuses addresses inside the network.
    const assemblyDirectory = await synthesise(join(bench.workDirectory, "assembly-hanging"), {
      notificationTargets: "loopback",
    });
    return await withCloud({ ...bench, assemblyDirectory }, (cloud) => measureOn(cloud, silent, working), {
      areQueuesFair: false,
      // More than an organization's slots, and few enough to start on a small machine.
      maxInstances: 12,
    });
  } finally {
    await silent.stop();
    await working.stop();
  }
};

export const measurement: Measurement = { title: "Receivers that hang", measure: measureFairness };
