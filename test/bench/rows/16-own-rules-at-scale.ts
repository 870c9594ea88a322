/**
 * When the last of 1,000 organizations is judged that have 20 own rules each and 10,000 events in the hour: the real dispatcher
 * on a simulated clock, in an account that runs ten functions at once. What one organization takes is measured here on a real
 * engine: the processor's time, as a function of 1,024 MB has it, and its calls of the store, 5 ms each and one by one.
 */
import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { DUE_SLOTS } from "../../../shared/detection/detection.ts";
import { createDetectionDispatcher } from "../../../shared/detection/dispatch-detection.ts";
import { chunksOf } from "../../../shared/runtime/chunks.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfHour } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { createWorld, MARK_BYTES, nameAt, START } from "../../scale/world.ts";
import { createStage, HOUR, type Stage, startDetectionEngine } from "../../shared/detection/stage.ts";
import { createRandom } from "../../support/random.ts";
import { type Budget, judgedRow, type Measurement, plainRow, round } from "../row.ts";
import { itemsOf, twentyRules } from "./15-own-rules.ts";

const ORGANIZATIONS = 1_000;
const AT_ONCE = 10;
const CALL_MS = 5;
/** Of a processor, with 1,024 MB: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const PROCESSORS = 1_024 / 1_769;
/** The dispatch starts then (shared/api/background-functions.ts). */
const DISPATCHED_AFTER_MS = 6 * MINUTE_MS;
const MINUTES: Budget = { limit: 60 };
const ITEMS_A_WRITE = 25;

const storeEvents = async ({ own, organizationId }: Stage, random: () => number, from: number): Promise<void> => {
  for (const items of chunksOf(itemsOf(random, from, organizationId), ITEMS_A_WRITE)) {
    const puts = items.map((Item) => ({ PutRequest: { Item } }));
    await own.client.send(new BatchWriteCommand({ RequestItems: { securityEvents: puts } }));
  }
};

/** Judges an hour of an organization with 20 rules, whose windows reach into the hour before. */
const measureOrganization = async () => {
  const engine = await startDetectionEngine();
  try {
    const stage = createStage(engine);
    const random = createRandom(11);
    for (const rule of twentyRules()) {
      const made = { createdAt: 0, createdBy: "ada", changedBy: "ada", version: rule.id };
      await stage.own.customRules.create(stage.organizationId, { ...rule, ...made });
    }
    for (const hour of [HOUR - HOUR_MS, HOUR]) await storeEvents(stage, random, hour);
    await stage.own.detect([HOUR - HOUR_MS]);
    let calls = 0;
    const countCalls = (client: DynamoDBDocumentClient) =>
      client.middlewareStack.add(
        (next) => (args) => {
          calls++;
          return next(args);
        },
        { step: "initialize", name: "countCalls" },
      );
    const worker = stage.worker(countCalls);
    const before = process.cpuUsage();
    const { eventsRead, findings } = await worker.detect([HOUR]);
    const { user, system } = process.cpuUsage(before);
    return { calls, cpuMs: (user + system) / 1_000, eventsRead, findings };
  } finally {
    await engine.stop();
  }
};

/** When the dispatcher starts the judging of each organization, ms after the dispatch. All have events and rules of silence. */
const dispatchAll = async (): Promise<number[]> => {
  const { time, store, chain, connectedOrganizations } = createWorld(ORGANIZATIONS);
  const lastHour = startOfHour(START) - HOUR_MS;
  const starts: number[] = [];
  const publish = async <Event extends BusEvent>(events: readonly Event[]) => {
    for (const { detail } of events) {
      for (const slot of DUE_SLOTS) if (slot in detail) starts.push(time.now() - START);
    }
    await store.publish(events.length);
    return [];
  };
  const organizations = () =>
    store.list(ORGANIZATIONS, MARK_BYTES, (index) => ({ scope: organizationKey(nameAt(index)), windowMinutes: 60 }));
  const dispatch = createDetectionDispatcher({
    unjudged: {
      async *listAll() {},
      async lastDispatch() {
        await store.call({ read: 1 });
        return START - HOUR_MS;
      },
      recordDispatch: () => store.call({ write: 1 }),
    },
    silenceRules: organizations,
    openHours: { async *listAll() {} },
    connectedOrganizations: () => connectedOrganizations(),
    syncFacts: { lastSuccesses: async (ids) => new Map(ids.map((id) => [id, lastHour])) },
    bus: { publish },
    syncIntervalMs: 4 * HOUR_MS,
    retentionMs: 90 * DAY_MS,
    now: time.now,
    sleep: time.sleep,
  });
  await chain("dispatch-detection", async (remainingMs) => (await dispatch({}, remainingMs)).isHandedOver);
  return starts;
};

/** When the last of works ends that wait for one of the functions. @param starts in order; all ms. */
const endOfAll = (starts: readonly number[], eachMs: number): number => {
  const free = Array<number>(AT_ONCE).fill(0);
  for (const start of starts) {
    const next = free.indexOf(Math.min(...free));
    free[next] = Math.max(start, free[next] ?? 0) + eachMs;
  }
  return Math.max(...free);
};

export const measurement: Measurement = {
  title: "Own rules of 1,000 organizations",
  measure: async () => {
    const { calls, cpuMs, eventsRead, findings } = await measureOrganization();
    const eachMs = cpuMs / PROCESSORS + calls * CALL_MS;
    const starts = await dispatchAll();
    const lastMinutes = (DISPATCHED_AFTER_MS + endOfAll(starts, eachMs)) / MINUTE_MS;
    return [
      plainRow(
        `an hour of ${eventsRead} events with 20 rules, ${findings} findings`,
        `${round(cpuMs)} ms CPU, ${calls} calls`,
      ),
      plainRow("  in a function of 1,024 MB", `${round(eachMs / 1_000)} s`),
      plainRow(
        "  the last of the organizations is dispatched",
        `${round((DISPATCHED_AFTER_MS + (starts.at(-1) ?? 0)) / MINUTE_MS)} min after the hour`,
      ),
      judgedRow(
        `${starts.length} organizations, ten functions at once: judged after the hour's end`,
        lastMinutes,
        MINUTES,
        { unit: "min" },
      ),
    ];
  },
};
