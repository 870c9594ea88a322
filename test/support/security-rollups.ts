/** Security events, rollups and closers on a real engine, with a clock of the test's own and an oracle beside them. */
import { randomBytes } from "node:crypto";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { sweepExpired } from "../../infra/local/dynamodb/ttl-sweep.ts";
import { createUnjudgedStore } from "../../shared/detection/unjudged-store.ts";
import { createWindowStore } from "../../shared/detection/window-store.ts";
import { documentTranslation } from "../../shared/runtime/document-translation.ts";
import type { Selection } from "../../shared/security/event-item.ts";
import { type SecurityStatistics, statisticsOf } from "../../shared/security/monitoring/security-report.ts";
import { createRecorder, type Recorder } from "../../shared/security/recorder.ts";
import type { SecurityEvent } from "../../shared/security/security-event.ts";
import { createSecurityEventStore, type StoredEvent } from "../../shared/security/security-event-store.ts";
import { closeHours } from "../../shared/security/statistics/close-hours.ts";
import { type CountSelectionParts, countSelection } from "../../shared/security/statistics/count-selection.ts";
import {
  createEventCountStore,
  createSelectionCountStore,
} from "../../shared/security/statistics/event-count-store.ts";
import { createOpenHourStore } from "../../shared/security/statistics/open-hour-store.ts";
import { createRollupStore } from "../../shared/security/statistics/rollup-store.ts";
import { isAtLeast } from "../../shared/terms/risk-levels.ts";
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb, tableModel } from "./embedded-dynamodb.ts";
import { NOW, select } from "./security-events.ts";
import { declaredTable } from "./security-tables.ts";

const EVENTS = "events";
const ROLLUPS = "rollups";
const DETECTION = "detection";

type Counted = Pick<SecurityEvent, "riskLevel" | "success" | "metadata">;

/** What the statistics of events are, by counting them. */
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

/** What an actor of the world works with; each has a client of its own, so that it alone can be delayed or crash. */
export type Actor = ReturnType<RollupWorld["actor"]>;

export const startRollupWorld = async (database?: EmbeddedDynamoDb) => {
  const tables = [
    declaredTable("TablesSecurityEvents", EVENTS),
    declaredTable("TablesSecurityRollups", ROLLUPS),
    declaredTable("TablesDetection", DETECTION),
  ];
  const engine = database ?? (await startEmbeddedDynamoDb());
  await engine.createTables(...tables);
  const time = { now: NOW };
  const settings = { retentionDays: 90 };
  const now = () => time.now;
  /** Everything that is stored, in the order of its writing, and what was about to be. */
  const stored: StoredEvent[] = [];
  let begun = 0;

  const { requestHandler } = engine.client().config;
  const actor = (prepare: (client: DynamoDBDocumentClient) => void = () => undefined) => {
    const client = DynamoDBDocumentClient.from(engine.client({ requestHandler }), documentTranslation);
    prepare(client);
    const events = createSecurityEventStore(client, EVENTS);
    const openHours = createOpenHourStore(client, ROLLUPS, now);
    const rollups = createRollupStore(client, ROLLUPS);
    const counts = createEventCountStore(client, EVENTS);
    const selections = createSelectionCountStore(client, EVENTS);
    const unjudged = createUnjudgedStore(client, DETECTION, settings);
    const parts: CountSelectionParts = { openHours, rollups, events: counts, selections };
    return {
      client,
      events,
      openHours,
      rollups,
      counts,
      selections,
      unjudged,
      windows: createWindowStore(client, DETECTION, settings),
      /** An instance of a function that records; what fails is thrown rather than kept. */
      recorder: (): Recorder =>
        createRecorder({
          events: {
            putAll: async (some) => {
              begun += some.length;
              await events.putAll(some);
              stored.push(...some);
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
      count: async (selection: Selection) => statisticsOf(await countSelection(parts, selection, now())),
    };
  };

  return {
    engine,
    time,
    settings,
    actor,
    stored,
    /** How many events were written, or may have been. */
    begun: () => begun,
    /** What the statistics of a selection must be now. */
    expected: (selection: Selection): SecurityStatistics => {
      const live = stored.filter(({ ttl }) => ttl * 1_000 > time.now).map(({ event }) => event);
      return bruteForce(select(live, selection));
    },
    /** What the store does in its own time: delete what has expired. */
    sweep: () => sweepExpired(engine.endpoint, tables.map(tableModel), time.now),
    stop: () => engine.stop(),
  };
};

/**
 * Lets a client make so many calls; all after them fail, as if the function had died. Calls to indexes do not count:
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

/** Holds up a client at one of its calls until it may go on; calls to indexes do not count. */
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
