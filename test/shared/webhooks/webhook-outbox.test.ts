import { beforeEach, describe, expect, it } from "@jest/globals";
import type { BusEvent, EventBus } from "../../../shared/runtime/event-bus.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createWebhookEventStore, type WebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { publishPending } from "../../../shared/webhooks/webhook-outbox.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { tableDefinition } from "../../support/service-tables.ts";
import { useEngine } from "../../support/use-table.ts";
import { NOW, webhookEvent } from "./stored-events.ts";

const database = useEngine();
quietLog();

let tables = 0;
let events: WebhookEventStore;
beforeEach(async () => {
  const TableName = `webhooks${++tables}`;
  await database.createTables({ ...tableDefinition("webhookEvents"), TableName });
  events = createWebhookEventStore(createTable(database.documentClient(), TableName));
});

/** A bus that accepts and keeps the given events, and refuses others. */
const createBus = (takes: (event: BusEvent) => boolean = () => true) => {
  const published: unknown[] = [];
  const publish: EventBus["publish"] = async (sent) => {
    published.push(...sent.filter(takes).map(({ detail }) => detail));
    return sent.filter((event) => !takes(event)).map((event) => ({ event, reason: "Throttled" }));
  };
  return { published, publish };
};

/** Writes a few events at a time: each call has its time limit, and the machine may be busy. */
const store = (count: number) =>
  inParallel(Array(count).keys(), 10, async (i) => {
    await events.add(`org ${i % 3}`, webhookEvent({ id: `evt_${i}` }));
  });

const MINUTE = 60_000;
const enough = () => 300_000;
const run = (bus: { publish: EventBus["publish"] }, now: number, remainingMs = enough, store = events) =>
  publishPending({ events: store, bus, now: () => now, pause: async () => undefined }, remainingMs);

describe("the outbox", () => {
  it("publishes an event after one minute, and only once", async () => {
    await store(2);
    const bus = createBus();
    expect(await run(bus, NOW + MINUTE)).toEqual({ handedOver: 0, failed: 0 });
    expect(await run(bus, NOW + MINUTE + 1)).toEqual({ handedOver: 2, failed: 0 });
    expect(bus.published).toEqual(
      expect.arrayContaining([
        { organizationId: "org 0", eventId: "evt_0" },
        { organizationId: "org 1", eventId: "evt_1" },
      ]),
    );
    expect(await run(bus, NOW + MINUTE + 1)).toEqual({ handedOver: 0, failed: 0 });
  });

  it("leaves events that the bus refuses to the next run", async () => {
    await store(3);
    const refusing = createBus(({ detail }) => JSON.stringify(detail).includes("org 0"));
    expect(await run(refusing, NOW + 2 * MINUTE)).toEqual({ handedOver: 1, failed: 2 });
    expect(await run(createBus(), NOW + 2 * MINUTE)).toEqual({ handedOver: 2, failed: 0 });
  });

  it("publishes in batches, and leaves events to the next run if the time is over", async () => {
    await store(300);
    let rounds = 0;
    const remainingMs = () => (++rounds > 1 ? 20_000 : 20_001);
    const bus = createBus();
    const { handedOver } = await run(bus, NOW + 2 * MINUTE, remainingMs);
    expect(handedOver).toBeGreaterThan(0);
    expect(handedOver).toBeLessThanOrEqual(192);
    expect(await run(bus, NOW + 2 * MINUTE)).toEqual({ handedOver: 300 - handedOver, failed: 0 });
    expect(new Set(bus.published.map((detail) => JSON.stringify(detail))).size).toBe(300);
  });

  it("publishes all events although the index lags", async () => {
    const keys = (ids: string[]) => ids.map((id) => ({ organizationId: "acme", id }));
    const lists = [keys(["evt_1"]), keys(["evt_1"]), keys(["evt_2"]), keys(["evt_2"]), keys(["evt_2"])];
    const lagging = { listPending: async () => lists.shift() ?? [], markPublished: async () => undefined };
    const bus = createBus();
    const parts = { events: lagging, bus, now: () => NOW, pause: async () => undefined };
    expect(await publishPending(parts, enough)).toEqual({ handedOver: 2, failed: 0 });
    expect(bus.published).toHaveLength(2);
  });

  it("publishes an event once in a run if it cannot be marked", async () => {
    await store(5);
    const bus = createBus();
    const unmarkable = { ...events, markPublished: () => Promise.reject(new Error("away")) };
    expect(await run(bus, NOW + 2 * MINUTE, enough, unmarkable)).toEqual({ handedOver: 5, failed: 0 });
    expect(bus.published).toHaveLength(5);
    expect(await run(bus, NOW + 2 * MINUTE)).toEqual({ handedOver: 5, failed: 0 });
  });
});
