/** Security events, rollups and closers on a real engine, with a test clock and a brute-force oracle. */

import { randomBytes } from "node:crypto";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { sweepExpired } from "../../infra/local/dynamodb/ttl-sweep.ts";
import { createUnjudgedStore } from "../../shared/detection/unjudged-store.ts";
import { createWindowStore } from "../../shared/detection/window-store.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import { createTable } from "../../shared/runtime/table.ts";
import type { Selection } from "../../shared/security/event-item.ts";
import { type SecurityStatistics, statisticsOf } from "../../shared/security/monitoring/statistics.ts";
import { createRecorder, type Recorder } from "../../shared/security/recorder.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { createSecurityEventStore, type StoredEvent } from "../../shared/security/security-event-store.ts";
import { closeHours } from "../../shared/security/statistics/close-hours.ts";
import { countSelection } from "../../shared/security/statistics/count-selection.ts";
import {
  createEventCountStore,
  createSelectionCountStore,
} from "../../shared/security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../../shared/security/statistics/open-hour-store.ts";
import { createRollupStore } from "../../shared/security/statistics/rollup-store.ts";
import { isAtLeast } from "../../shared/terms/risk-levels.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb, tableModel } from "./embedded-dynamodb.ts";
import { NOW, select } from "./security-events.ts";
import { tableDefinition } from "./service-tables.ts";

const EVENTS = "securityEvents";
const ROLLUPS = "securityRollups";
const DETECTION = "detection";

type Counted = Pick<SecurityEvent, "riskLevel" | "success" | "metadata">;

/** Statistics by counting the events one by one. */
export const bruteForce = (events: readonly Counted[]): SecurityStatistics => {
  const durations = events.flatMap(({ metadata }) => {
    const durationMs = (metadata as { durationMs?: number } | undefined)?.durationMs;
    return durationMs === undefined ? [] : [durationMs];
  });
  return {
    totalEvents: events.length,
    highRiskEvents: events.filter(({ riskLevel }) => isAtLeast(riskLevel, "HIGH")).length,
    failureRate: events.length === 0 ? 0 : events.filter(({ success }) => !success).length / events.length,
    avgResponseTime: durations.length === 0 ? 0 : durations.reduce((a, b) => a + b, 0) / durations.length,
  };
};

export type RollupWorld = Awaited<ReturnType<typeof startRollupWorld>>;

/** The tools of one actor. Each actor has its own client, so that it alone can be delayed or crash. */
export type Actor = ReturnType<RollupWorld["actor"]>;

export const startRollupWorld = async (database?: EmbeddedDynamoDb) => {
  const engine = database ?? (await startEmbeddedDynamoDb());
  const tables = ([EVENTS, ROLLUPS, DETECTION] as const).map((name) => tableDefinition(name));
  await engine.createTables(...tables);
  const time = { now: NOW };
  const settings = { retentionDays: 90 };
  const now = () => time.now;
  /** All stored events in write order, with those whose write was in progress. */
  const stored: StoredEvent[] = [];
  let begun = 0;

  const { requestHandler } = engine.client().config;
  const actor = (prepare: (client: DynamoDBDocumentClient) => void = () => undefined) => {
    const client = DynamoDBDocumentClient.from(engine.client({ requestHandler }), documentTranslation);
    prepare(client);
    const events = createSecurityEventStore(createTable(client, EVENTS));
    const openHours = createOpenHourStore(createTable(client, ROLLUPS), now);
    const rollups = createRollupStore(createTable(client, ROLLUPS));
    const counts = createEventCountStore(createTable(client, EVENTS));
    const unjudged = createUnjudgedStore(createTable(client, DETECTION), settings);
    const selections = createSelectionCountStore(createTable(client, EVENTS));
    const stores = { openHours, rollups, events: counts, selections };
    return {
      client,
      events,
      openHours,
      rollups,
      counts,
      selections,
      unjudged,
      windows: createWindowStore(createTable(client, DETECTION), settings),
      /** A recorder as in a function instance; it throws failures instead of queueing the event. */
      recorder: (): Recorder =>
        createRecorder({
          events: {
            put: async (one) => {
              begun++;
              await events.put(one);
              stored.push(one);
            },
          },
          hours: openHours,
          alerts: { raiseForEvent: async () => undefined },
          deadLetters: {
            keep: async ({ error }) => {
              throw error;
            },
          },
          settings: { logLevel: "LOW", alertThreshold: "CRITICAL", retentionDays: settings.retentionDays },
          now,
          random: () => randomBytes(16),
        }),
      close: (remainingMs = () => 300_000) =>
        closeHours({ openHours, rollups, events: counts, detection: unjudged, now, settleMs: 0 }, remainingMs),
      count: async (selection: Selection) => statisticsOf(await countSelection(stores, selection, now())),
      /** The statistics of each interval with events, by its start. */
      countIntervals: async (selection: Selection, intervalMs: number) => {
        const counted = await countSelection(stores, selection, now(), intervalMs);
        const intervals = [...counted].map(
          ([start, counters]) => [start, statisticsOf(new Map([[0, counters]]))] as const,
        );
        return new Map(intervals.filter(([, { totalEvents }]) => totalEvents > 0));
      },
    };
  };

  return {
    engine,
    time,
    settings,
    actor,
    stored,
    /** The number of events that were, or may have been, written. */
    begun: () => begun,
    /** The expected statistics of a selection at the current time. */
    expected: (selection: Selection): SecurityStatistics => {
      const live = stored.filter(({ ttl }) => ttl * 1_000 > time.now).map(({ event }) => event);
      return bruteForce(select(live, selection));
    },
    /** Deletes expired items, as the store does at a time of its choice. */
    sweep: () => sweepExpired(engine.endpoint, tables.map(tableModel), time.now),
    stop: () => engine.stop(),
  };
};

/**
 * Lets a client make this many calls and fails all later ones, as if the function had crashed. Index calls do not count:
 * closers look for open hours while they close others, in no fixed order.
 */
export const dieAfter = (calls: number) => (client: DynamoDBDocumentClient) => {
  let made = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      if (made >= calls) throw new Error("the function died");
      if (!("IndexName" in args.input)) made++;
      return next(args);
    },
    { step: "initialize", name: "dieAfter" },
  );
};

/** Delays a client at one of its calls until it is released. Index calls do not count. */
export const holdUpAt = (call: number) => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let made = 0;
  return {
    reached: reached.promise,
    goOn: () => gate.resolve(),
    prepare: (client: DynamoDBDocumentClient) =>
      client.middlewareStack.add(
        (next) => async (args) => {
          if (!("IndexName" in args.input) && made++ === call) {
            reached.resolve();
            await gate.promise;
          }
          return next(args);
        },
        { step: "initialize", name: "holdUpAt" },
      ),
  };
};
