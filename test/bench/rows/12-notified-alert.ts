/**
 * What an alert costs that one webhook destination is notified of: calls and request units by service, from the local cloud
 * with a metered store. The same alert without a destination is the base; the difference is the notification's.
 */
import { createServer } from "node:http";
import { join } from "node:path";
import { listen } from "../../../infra/local/http/listen.ts";
import { synthesise } from "../../../infra/synth.ts";
import { type MeteredCloud, requestsTo, withMeteredCloud } from "../bench-cloud.ts";
import { prices } from "../cost/prices.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row, round } from "../row.ts";

/** Below the 20 notifications of a destination in ten minutes, beyond which they become a summary. */
const METERED = 10;
const WARM_UP = 2;
/** Longer than the window of a storm. */
const WINDOW_MS = 11 * 60_000;
/**
 * As measured: one more unit for every alert must be seen. Writes are 9, and one more for each try whose first slot another
 * instance of the sender has kept.
 */
const READS: Budget = { limit: 2 };
const WRITES: Budget = { limit: 9.5 };
/** Without the time of functions: units 5.88, the key 3, the message 1.2, the invocation 0.2. */
const USD_PER_MILLION: Budget = { limit: 10.5 };
/** Per message: sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

type Used = { reads: number; writes: number; invocations: number; calls: Record<string, number>; kinds: string[] };

/** A listener that takes every notification. */
const startListener = async () => {
  let received = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  const { url, close } = await listen(server, 0);
  return { url: `${url}/alerts`, received: () => received, stop: () => close() };
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const minus = (a: Record<string, number>, b: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(a).map(([name, count]) => [name, count - (b[name] ?? 0)]));

const describe = (used: Used): string => {
  const counted = [...Map.groupBy(used.kinds, (name) => name)].map(
    ([name, found]) => `${round(found.length / METERED)} ${name}`,
  );
  const others = Object.entries(used.calls)
    .filter(([action, count]) => !action.startsWith("dynamodb:") && count > 0)
    .map(([action, count]) => `${round(count / METERED)} ${action}`);
  return [
    `${round(used.reads / METERED)} read and ${round(used.writes / METERED)} write units (${counted.join(", ")})`,
    ...others,
    `${round(used.invocations / METERED)} invocations`,
  ].join("; ");
};

/** USD of one, without the time of functions. `queueMessages`: messages in queues for one alert. */
const costOf = ({ reads, writes, invocations, calls }: Used, queueMessages: number): number => {
  const count = (prefix: string) =>
    sum(Object.entries(calls).flatMap(([action, made]) => (action.startsWith(prefix) ? [made] : [])));
  return (
    (reads * prices.readUnit +
      writes * prices.writeUnit +
      invocations * prices.invocation +
      count("events:") * prices.busEvent +
      count("kms:") * prices.kmsCall) /
      METERED +
    queueMessages * REQUESTS_PER_MESSAGE * prices.queueRequest
  );
};

const measureOn = async (
  { cloud, proxy }: MeteredCloud,
  listener: Awaited<ReturnType<typeof startListener>>,
): Promise<Row[]> => {
  const send = await requestsTo(cloud, "acme");
  let raised = 0;
  const raise = async (count: number) => {
    for (let index = 0; index < count; index++) {
      raised += 1;
      await send("POST", "/security/alert", {
        action: "generate_alert",
        title: `Alert ${raised}`,
        riskLevel: "HIGH",
      });
    }
    // Ends when the functions that the alerts started have ended.
    await cloud.advanceClock(0);
  };
  const invocations = () => sum(cloud.functions.list().map((one) => one.invocations));
  const measure = async (): Promise<Used> => {
    await raise(WARM_UP);
    proxy.read();
    const before = { calls: cloud.calls(), invocations: invocations() };
    await raise(METERED);
    const { reads, writes, calls: kinds } = proxy.read();
    return {
      reads,
      writes,
      kinds,
      calls: minus(cloud.calls(), before.calls),
      invocations: invocations() - before.invocations,
    };
  };
  const alone = await measure();
  await send("POST", "/notifications", { type: "webhook", name: "Bench", url: listener.url });
  await cloud.advanceClock(WINDOW_MS);
  const receivedBefore = listener.received();
  const notified = await measure();
  const received = listener.received() - receivedBefore;
  if (received !== WARM_UP + METERED) throw new Error(`${received} of ${WARM_UP + METERED} notifications arrived`);
  // Messages: AlertsToNotify always, NotificationsToSend for the destination.
  const [base, all] = [costOf(alone, 1), costOf(notified, 2)];
  return [
    plainRow("an alert without a destination", describe(alone)),
    plainRow("an alert with one webhook destination", describe(notified)),
    judgedRow("read units of the notification", round((notified.reads - alone.reads) / METERED), READS),
    judgedRow("write units of the notification", round((notified.writes - alone.writes) / METERED), WRITES),
    judgedRow(
      "USD for a million notifications, without the time of functions",
      round((all - base) * 1e6),
      USD_PER_MILLION,
    ),
  ];
};

const measureAlerts = async (bench: Bench): Promise<Row[]> => {
  const listener = await startListener();
  try {
    // The deployed default refuses addresses inside the network.
    const assemblyDirectory = await synthesise(join(bench.workDirectory, "assembly-loopback"), {
      notificationTargets: "loopback",
    });
    return await withMeteredCloud({ ...bench, assemblyDirectory }, (metered) => measureOn(metered, listener));
  } finally {
    await listener.stop();
  }
};

export const measurement: Measurement = { title: "A notified alert", measure: measureAlerts };
