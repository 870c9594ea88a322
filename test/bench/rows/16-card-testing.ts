/**
 * Card testing: many failed payments of one organization within an hour, each a webhook, on the local cloud: whether all are
 * counted and found as one alert, what they cost, and how long another organization waits meanwhile. The attack, the other
 * client and the service share this machine, so the latency is an upper bound.
 */
import { randomBytes } from "node:crypto";
import type { LocalCloud } from "../../../infra/local/cloud/local-cloud.ts";
import { controlOf } from "../../support/control.ts";
import { webhookSender } from "../../support/webhook-sender.ts";
import { requestsTo, withMeteredCloud } from "../bench-cloud.ts";
import { type Budget, judgedRow, type Measurement, type Row } from "../row.ts";
import { median } from "../statistics.ts";

const ORGANIZATION = "acme";
const SECRET = "whsec_of_the_benchmark";
const LATENCY: Budget = { limit: 250 };
const NONE: Budget = { limit: 0 };
const ALERTS: Budget = { limit: 1 };
const AT_ONCE = 20;
const READS = 100;
const HOUR_MS = 3_600_000;

const eventOf = (created: number) => ({
  id: `evt_${randomBytes(8).toString("hex")}`,
  object: "event",
  api_version: "2026-10-28.endive",
  created,
  type: "payment_intent.payment_failed",
  data: {
    object: {
      id: `pi_${randomBytes(8).toString("hex")}`,
      object: "payment_intent",
      created,
      amount: 100,
      currency: "eur",
      status: "requires_payment_method",
      last_payment_error: { code: "card_declined" },
    },
  },
});

const measureOn = async (cloud: LocalCloud, readUnits: () => number, count: number): Promise<Row[]> => {
  const request = await requestsTo(cloud, ORGANIZATION);
  const other = await requestsTo(cloud, "other");
  await request("PUT", "/connection", { method: "api_key", apiKey: cloud.demo?.apiKey, webhookSecret: SECRET });
  await cloud.advanceClock(2_000);
  const sender = webhookSender(cloud, ORGANIZATION, SECRET);

  const times: number[] = [];
  const readOther = async (): Promise<number> => {
    const startedAt = performance.now();
    await other("GET", "/settings");
    return performance.now() - startedAt;
  };
  for (let i = 0; i < READS; i++) times.push(await readOther());
  const quiet = median(times);

  let sent = 0;
  let isOver = false;
  readUnits();
  const send = async () => {
    while (sent < count) {
      sent++;
      const { status } = await sender.send(eventOf(await sender.nowSeconds()));
      if (status !== 200) throw new Error(`A webhook was answered ${status}.`);
    }
  };
  const busy: number[] = [];
  const reading = (async () => {
    while (!isOver) busy.push(await readOther());
  })();
  await Promise.all(Array.from({ length: AT_ONCE }, send)).finally(() => {
    isOver = true;
  });
  await reading;
  await fetch(`${cloud.stack.controlUrl}/provider/webhooks/flush`, { method: "POST" });
  const units = readUnits() / count;

  await cloud.advanceClock(HOUR_MS);
  await controlOf(cloud).fire(/detection/i);
  await cloud.advanceClock(0);
  const days = (await request("GET", "/money?days=2")) as { payments: { failed: number } }[];
  const counted = days.reduce((sum, { payments }) => sum + payments.failed, 0);
  const alerts = (await request("GET", "/security/alert?limit=200")) as { rule: string }[];
  const found = alerts.filter(({ rule }) => rule === "card_testing").length;
  const underAttack = Math.round(median(busy));
  return [
    judgedRow(`failed payments that were not counted, of ${count}`, count - counted, NONE),
    judgedRow("alerts of the attack", found, ALERTS),
    judgedRow("another organization's read during the attack: median", underAttack, LATENCY, {
      unit: "ms",
      measured: `${underAttack} ms (${Math.round(quiet)} ms without it)`,
    }),
    judgedRow("request units of a failed payment's webhook", units, { limit: 30 }, { unit: "units" }),
  ];
};

export const measurement: Measurement = {
  title: "Card testing",
  measure: (bench) =>
    withMeteredCloud(bench, ({ cloud, proxy }) =>
      measureOn(cloud, () => proxy.read().units, bench.options.quick ? 500 : 20_000),
    ),
};
