/** An organization with events over 90 days and closed hours in the embedded engine, and the same events in memory. */

import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { chunksOf } from "../../shared/runtime/chunks.ts";
import { inParallel } from "../../shared/runtime/in-parallel.ts";
import { createTable } from "../../shared/runtime/table.ts";
import { toItem } from "../../shared/security/event-item.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { createSecurityEventStore, type StoredEvent } from "../../shared/security/security-event-store.ts";
import { closeHours } from "../../shared/security/statistics/close-hours.ts";
import {
  createEventCountStore,
  createSelectionCountStore,
} from "../../shared/security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../../shared/security/statistics/open-hour-store.ts";
import { createRollupStore } from "../../shared/security/statistics/rollup-store.ts";
import { DAY_MS, expiryOf, HOUR_MS, hourName, startOfHour } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { randomEvents } from "./random-events.ts";

export const EVENTS = "securityEvents";
export const ROLLUPS = "securityRollups";
export const RETENTION_DAYS = 90;
/** Half past an hour: the events of the current hour are in no rollup. */
export const NOW = Date.UTC(2026, 10, 21, 12, 30);

const CHUNK = 500;
/** The maximum number of items in a BatchWriteItem call. */
const BATCH = 25;
const CHUNKS_AT_ONCE = 6;

/** The fields of an event that a brute-force count needs. */
export type Known = Pick<
  SecurityEvent,
  "id" | "timestamp" | "eventType" | "category" | "riskLevel" | "userId" | "success" | "metadata"
>;

export type Stage = {
  organizationId: string;
  total: number;
  known: Known[];
  seconds: { write: number; close: number };
};

export const storesOf = (client: DynamoDBDocumentClient, now = () => NOW) => ({
  events: createSecurityEventStore(createTable(client, EVENTS)),
  openHours: createOpenHourStore(createTable(client, ROLLUPS), now),
  rollups: createRollupStore(createTable(client, ROLLUPS)),
  counts: createEventCountStore(createTable(client, EVENTS)),
  selections: createSelectionCountStore(createTable(client, EVENTS)),
});

/** Retries after a time-out on a busy machine. Both writing and closing may be repeated. */
const patiently = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
};

/** Writes events in one call. The ids are new, so the write needs no condition. */
const writeBatch = async (client: DynamoDBDocumentClient, batch: readonly StoredEvent[]): Promise<void> => {
  const requests = batch.map(({ event, ttl }) => ({ PutRequest: { Item: toItem(event, ttl) } }));
  const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [EVENTS]: requests } }));
  if (UnprocessedItems?.[EVENTS] !== undefined) throw new Error("The engine left events unwritten.");
};

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
};

/** Writes the events as the recorder would, then closes their hours as the schedule would. */
export const makeStage = async (client: DynamoDBDocumentClient, total: number): Promise<Stage> => {
  const organizationId = `organization-with-${total}`;
  const scope = organizationKey(organizationId);
  const known: Known[] = [];
  const marking = storesOf(client, () => NOW - HOUR_MS);
  const from = NOW - RETENTION_DAYS * DAY_MS + HOUR_MS;
  const write = await secondsOf(async () => {
    const events = randomEvents(organizationId, { total, from, to: NOW, seed: total });
    await inParallel(chunksOf(events, CHUNK), CHUNKS_AT_ONCE, async (chunk) => {
      for (const { id, timestamp, eventType, category, riskLevel, userId, success, metadata } of chunk) {
        known.push({ id, timestamp, eventType, category, riskLevel, ...(userId && { userId }), success, metadata });
      }
      const stored = chunk.map((event) => ({ event, ttl: expiryOf(event.timestamp, RETENTION_DAYS) }));
      for (const batch of chunksOf(stored, BATCH)) await patiently(() => writeBatch(client, batch));
    });
    for (let hour = startOfHour(from); hour <= NOW; hour += HOUR_MS) {
      await patiently(() => marking.openHours.markHourOpen(scope, hourName(hour)));
    }
  });
  const { openHours, rollups, counts } = storesOf(client);
  const detection = { markUnjudged: async () => undefined };
  const parts = { openHours, rollups, events: counts, detection, now: () => NOW, settleMs: 0 };
  const close = await secondsOf(() => patiently(() => closeHours(parts, () => 600_000)));
  return { organizationId, total, known, seconds: { write, close } };
};
