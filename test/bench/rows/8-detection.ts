/** The cost of detection: for one organization and hour, and from that for 10,000 organizations and a month. */

import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { DUE_SLOTS } from "../../../shared/detection/detection.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { call, createStage, HOUR, type Stage, startDetectionEngine } from "../../shared/detection/stage.ts";
import { countUnits, type Units } from "../../support/consumed-units.ts";
import type { EmbeddedDynamoDb } from "../../support/embedded-dynamodb.ts";
import { createRandom } from "../../support/random.ts";
import { type Bench, type Budget, judgedRow, type Measurement, plainRow, type Row, round } from "../row.ts";

const ORGANIZATIONS = 20;
const HOURS = 24;
/** A million events a day of ten thousand organizations: 100 each, 4.2 an hour. */
const EVENTS_A_DAY = 100;

const READ: Budget = { limit: 5 };
const WRITE: Budget = { limit: 2 };
const TOTAL_USD: Budget = { limit: 15 };

/** On-demand prices in us-east-1, 2026, per million and per GB-s: https://aws.amazon.com/{dynamodb,eventbridge,lambda}/pricing/ */
const USD = { read: 0.125, write: 0.625, event: 1, invocation: 0.2, gigabyteSecond: 0.0000133334 } as const;
/** The memory of deployed functions: infra/constructs/service-function.ts. */
const MEMORY_GB = 1;
const MILLION = 1_000_000;
const HOURS_A_MONTH = 10_000 * 24 * 30;

/** Events of a day: reads by a few users, and events of syncs. */
const recordDay = async (stage: Stage, random: () => number, from: number): Promise<void> => {
  const said = Array.from({ length: EVENTS_A_DAY }, () => ({
    at: from + Math.floor(random() * HOURS * HOUR_MS),
    fields:
      random() < 0.6
        ? call(`user-${Math.floor(random() * 4)}`)
        : { action: "list_events", metadata: { durationMs: 80 + random() * 100, attempts: 1 } },
  }));
  for (const { at, fields } of said) await stage.record(fields, at);
};

type Measured = Units & { milliseconds: number; hours: number; eventsRead: number };

const measureOrganization = async (engine: EmbeddedDynamoDb, random: () => number, total: Measured): Promise<void> => {
  const stage = createStage(engine);
  const from = HOUR - (HOUR % DAY_MS);
  stage.time.now = from + 2 * DAY_MS;
  // The organization syncs, and detection has judged an earlier day.
  await stage.own.client.send(
    new PutCommand({
      TableName: "syncRuns",
      Item: { scope: stage.scope, key: "state", lastSuccessAt: stage.time.now },
    }),
  );
  await recordDay(stage, random, from - DAY_MS);
  await recordDay(stage, random, from);
  await stage.own.detect(Array.from({ length: HOURS }, (_, i) => from - DAY_MS + i * HOUR_MS));
  const worker = stage.worker();
  const measure = countUnits(worker.client);
  const startedAt = performance.now();
  for (let i = 0; i < HOURS; i++) {
    const { read, write } = await measure(async () => {
      total.eventsRead += (await worker.detect([from + i * HOUR_MS])).eventsRead;
    });
    total.read += read;
    total.write += write;
  }
  total.milliseconds += performance.now() - startedAt;
  total.hours += HOURS;
};

const rowsOf = ({ read, write, milliseconds, hours, eventsRead }: Measured): Row[] => {
  const each = { read: read / hours, write: write / hours, ms: milliseconds / hours };
  const millions = HOURS_A_MONTH / MILLION;
  const usd = {
    reads: each.read * millions * USD.read,
    writes: each.write * millions * USD.write,
    events: (millions / DUE_SLOTS.length) * USD.event,
    lambda: millions * USD.invocation + (each.ms / 1_000) * MEMORY_GB * HOURS_A_MONTH * USD.gigabyteSecond,
  };
  const total = usd.reads + usd.writes + usd.events + usd.lambda;
  const recorded = ORGANIZATIONS * EVENTS_A_DAY;
  return [
    judgedRow("read units of an organization's hour", each.read, READ, { unit: "units" }),
    judgedRow("write units of an organization's hour", each.write, WRITE, { unit: "units" }),
    plainRow("time of an organization's hour", `${round(each.ms)} ms`),
    judgedRow("times that an event is read", eventsRead / recorded, { limit: 1 }),
    judgedRow("a month, 10,000 organizations", total, TOTAL_USD, { unit: "USD" }),
    plainRow("  reads", `${round(usd.reads)} USD`),
    plainRow("  writes", `${round(usd.writes)} USD`),
    plainRow("  event bus, an event for ten hours", `${round(usd.events)} USD`),
    plainRow("  functions, at 1,024 MB", `${round(usd.lambda)} USD`),
  ];
};

export const measurement: Measurement = {
  title: "Detection",
  measure: async ({ progress }: Bench) => {
    progress("detection: hours of organizations");
    const engine = await startDetectionEngine();
    const total: Measured = { read: 0, write: 0, milliseconds: 0, hours: 0, eventsRead: 0 };
    try {
      const random = createRandom(20_261_121);
      for (let i = 0; i < ORGANIZATIONS; i++) await measureOrganization(engine, random, total);
    } finally {
      await engine.stop();
    }
    return rowsOf(total);
  },
};
