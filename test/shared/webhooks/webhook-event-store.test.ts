import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Observation } from "../../../shared/records/observation.ts";
import { inParallel } from "../../../shared/runtime/in-parallel.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { eventPartitions, keyOf } from "../../../shared/webhooks/event-partitions.ts";
import {
  createDeliveredEvents,
  createGapStore,
  createWebhookEventStore,
} from "../../../shared/webhooks/webhook-event-store.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import {
  customer,
  deleted,
  invoice,
  linked,
  payment,
  seen,
  subscription,
  subscriptionFields,
  touched,
} from "../../support/records.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";
import { NOW, SECONDS, webhookEvent } from "./stored-events.ts";

const TABLE = "webhookEvents";
const DAY = 86_400_000;

const database = useDatabase("webhookEvents");
const proxy = usePerFile(() => startLossyProxy(database.running().endpoint));

let organizations = 0;
let acme: string;
beforeEach(() => {
  acme = `acme/${++organizations} ü#`;
});

const client = () => database.client;
const store = () => createWebhookEventStore(createTable(client(), TABLE));
const itemOf = async (organizationId: string, id: string) => {
  const command = new GetCommand({ TableName: TABLE, Key: keyOf({ organizationId, id }) });
  return (await client().send(command)).Item;
};
const pendingOf = async (organizationId: string, before = NOW + DAY) =>
  (await store().listPending({ before, limit: 1_000 })).filter((key) => key.organizationId === organizationId);

describe("an event", () => {
  it("is read as it was stored, with every kind of observation", async () => {
    const observations: Observation[] = [
      customer(seen(SECONDS), { name: null, email: "ü🌵" }),
      subscription(seen(SECONDS), { items: null }),
      subscription(seen(SECONDS)),
      invoice(seen(SECONDS, SECONDS + 1), { amountDue: Number.MAX_SAFE_INTEGER }),
      payment(seen(SECONDS)),
      deleted({ type: "customers", id: "cus_2" }, seen(SECONDS)),
      deleted({ type: "invoices", id: "in_2" }, seen(SECONDS), NOW),
      touched({ type: "payments", id: "pi_2" }, seen(SECONDS)),
      linked(seen(SECONDS)),
    ];
    const event = webhookEvent({ observations });
    expect(await store().add(acme, event)).toBe("new");
    expect(await store().read(acme, event.id, NOW)).toEqual(event);
  });

  it("is stored without unknown fields", async () => {
    await store().add(acme, webhookEvent());
    expect(Object.keys((await itemOf(acme, "evt_1")) ?? {}).sort()).toEqual(
      [
        "scope",
        "id",
        "type",
        "createdSeconds",
        "objectId",
        "observations",
        "isDeauthorization",
        "connectionId",
        "accountId",
        "receivedAt",
        "pendingShard",
        "token",
        "ttl",
      ].sort(),
    );
  });

  it("belongs to its organization", async () => {
    await store().add(acme, webhookEvent());
    expect(await store().read(`${acme}2`, "evt_1", NOW)).toBeUndefined();
    expect(await store().add(`${acme}2`, webhookEvent())).toBe("new");
  });

  it("exists for 30 days, and may be stored again afterwards", async () => {
    await store().add(acme, webhookEvent());
    expect(await store().read(acme, "evt_1", NOW + 30 * DAY - 1)).toBeDefined();
    expect(await store().read(acme, "evt_1", NOW + 30 * DAY)).toBeUndefined();
    expect(await store().add(acme, webhookEvent({ receivedAt: NOW + 30 * DAY - 1_000 }))).toBe("pending");
    expect(await store().add(acme, webhookEvent({ receivedAt: NOW + 30 * DAY }))).toBe("new");
  });

  it("whose states are too large keeps touches instead, and stays below 32 KB", async () => {
    const items = Array(400).fill(subscriptionFields.items?.[0]);
    const gone = deleted({ type: "customers", id: "cus_2" }, seen(SECONDS));
    await store().add(acme, webhookEvent({ observations: [subscription(seen(SECONDS), { items }), gone] }));
    expect((await store().read(acme, "evt_1", NOW))?.observations).toEqual([
      touched({ type: "subscriptions", id: "sub_1" }, seen(SECONDS)),
      gone,
    ]);

    const fitting = [subscription(seen(SECONDS), { items: items.slice(0, 300) })];
    await store().add(acme, webhookEvent({ id: "evt_2", observations: fitting }));
    expect((await store().read(acme, "evt_2", NOW))?.observations).toEqual(fitting);
    expect(JSON.stringify(await itemOf(acme, "evt_2")).length).toBeLessThan(32_000);
  });
});

describe("a repetition", () => {
  it("reports whether the event is marked as published", async () => {
    const event = webhookEvent();
    expect(await store().add(acme, event)).toBe("new");
    expect(await store().add(acme, event)).toBe("pending");
    await store().markPublished({ organizationId: acme, id: event.id }, NOW);
    expect(await store().add(acme, event)).toBe("done");
    await store().markProcessed({ organizationId: acme, id: event.id }, "applied", NOW);
    expect(await store().add(acme, event)).toBe("done");
  });

  it("does not change the stored event", async () => {
    await store().add(acme, webhookEvent());
    const before = await itemOf(acme, "evt_1");
    await store().add(acme, webhookEvent({ type: "customer.deleted", receivedAt: NOW + 1, observations: [] }));
    expect(await itemOf(acme, "evt_1")).toEqual(before);
  });

  it("is done from the start if there is nothing to publish", async () => {
    const event = webhookEvent({ observations: [], processedAt: NOW, outcome: "unknown" });
    expect(await store().add(acme, event)).toBe("new");
    expect(await store().add(acme, event)).toBe("done");
    expect(await pendingOf(acme)).toEqual([]);
  });

  it("is recognised for all but one of 20 concurrent deliveries", async () => {
    const added = await Promise.all(Array.from({ length: 20 }, () => store().add(acme, webhookEvent())));
    expect(added.filter((one) => one === "new")).toHaveLength(1);
    expect(added.filter((one) => one === "pending")).toHaveLength(19);
    const { Items = [] } = await client().send(new ScanCommand({ TableName: TABLE }));
    expect(Items.filter(({ scope }) => eventPartitions(acme).includes(scope))).toHaveLength(1);
  });
});

describe("the outbox", () => {
  it("lists an event by its age until it is published or processed", async () => {
    for (let i = 0; i < 5; i++) await store().add(acme, webhookEvent({ id: `evt_${i}`, receivedAt: NOW + i }));
    const ids = async (before?: number) => (await pendingOf(acme, before)).map(({ id }) => id).sort();
    expect(await ids()).toEqual(["evt_0", "evt_1", "evt_2", "evt_3", "evt_4"]);
    expect(await ids(NOW + 2)).toEqual(["evt_0", "evt_1"]);
    await store().markPublished({ organizationId: acme, id: "evt_0" }, NOW);
    await store().markProcessed({ organizationId: acme, id: "evt_3" }, "applied", NOW);
    expect(await ids()).toEqual(["evt_1", "evt_2", "evt_4"]);
  });

  it("is oldest first in each shard, with at most the requested number", async () => {
    // One id's part is one part.
    for (let i = 0; i < 4; i++) await store().add(`${acme}${i}`, webhookEvent({ receivedAt: NOW - DAY * i }));
    const listed = await store().listPending({ before: NOW - DAY, limit: 1 });
    expect(listed.filter(({ organizationId }) => organizationId.startsWith(acme))).toEqual([
      { organizationId: `${acme}3`, id: "evt_1" },
    ]);
  });
});

describe("marks", () => {
  it("are written to existing events, and do not bring erased events back", async () => {
    const key = { organizationId: acme, id: "evt_1" };
    await store().markPublished(key, NOW);
    await store().markProcessed(key, "applied", NOW);
    expect(await itemOf(acme, "evt_1")).toBeUndefined();
    await store().add(acme, webhookEvent());
    await store().markPublished(key, NOW + 1);
    await store().markProcessed(key, "ignored", NOW + 2);
    expect(await itemOf(acme, "evt_1")).toMatchObject({
      handedOverAt: NOW + 1,
      processedAt: NOW + 2,
      outcome: "ignored",
    });
    expect(await store().read(acme, "evt_1", NOW)).toMatchObject({ processedAt: NOW + 2, outcome: "ignored" });
  });
});

describe("if the first answer to each request is lost", () => {
  it("a first delivery is new, a repetition is not, and marks are written", async () => {
    const lossy = createWebhookEventStore(createTable(database.clientAt(proxy.url), TABLE));
    const event = webhookEvent();
    const key = { organizationId: acme, id: event.id };
    expect(await lossy.add(acme, event)).toBe("new");
    expect(await lossy.add(acme, event)).toBe("pending");
    await lossy.markPublished(key, NOW);
    expect(await lossy.add(acme, event)).toBe("done");
    await lossy.markProcessed(key, "applied", NOW + 1);
    expect(await lossy.read(acme, event.id, NOW)).toMatchObject({ outcome: "applied", processedAt: NOW + 1 });
    expect(await createGapStore(createTable(database.clientAt(proxy.url), TABLE)).mayStartRun(key, NOW)).toBe(true);
  });
});

describe("a table that does not answer", () => {
  it("causes a domain error in each call", async () => {
    const gone = createWebhookEventStore(createTable(database.clientAt("http://127.0.0.1:1"), TABLE));
    const key = { organizationId: acme, id: "evt_1" };
    for (const call of [
      () => gone.add(acme, webhookEvent()),
      () => gone.read(acme, "evt_1", NOW),
      () => gone.markPublished(key, NOW),
      () => gone.markProcessed(key, "applied", NOW),
      () => gone.listPending({ before: NOW, limit: 1 }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
    }
  });
});

describe("the events that a sync run may skip", () => {
  it("are those that webhooks delivered and that are applied", async () => {
    const { delivered } = createDeliveredEvents(createTable(client(), TABLE));
    const outcomes = ["applied", "ignored", "unknown", "disconnected", undefined] as const;
    for (const outcome of outcomes) {
      const id = `evt_${outcome}`;
      await store().add(acme, webhookEvent({ id }));
      if (outcome) await store().markProcessed({ organizationId: acme, id }, outcome, NOW);
    }
    const ids = [...outcomes.map((outcome) => `evt_${outcome}`), "evt_never", "evt_applied"];
    expect(await delivered(acme, ids)).toEqual(new Set(["evt_applied"]));
    expect(await delivered(`${acme}2`, ids)).toEqual(new Set());
    expect(await delivered(acme, [])).toEqual(new Set());
  });

  it("may be hundreds in one call", async () => {
    const { delivered } = createDeliveredEvents(createTable(client(), TABLE));
    const ids = Array.from({ length: 250 }, (_, i) => `evt_${i}`);
    await inParallel(ids.slice(0, 240), 10, async (id) => {
      await store().add(acme, webhookEvent({ id, outcome: "applied", processedAt: NOW }));
    });
    expect((await delivered(acme, ids)).size).toBe(240);
  });
});

describe("late events", () => {
  const HOUR = 3_600_000;
  it("may start a run once an hour; the same event may again", async () => {
    const { mayStartRun } = createGapStore(createTable(client(), TABLE));
    const first = { organizationId: acme, id: "evt_1" };
    const second = { organizationId: acme, id: "evt_2" };
    expect(await mayStartRun(first, NOW)).toBe(true);
    expect(await mayStartRun(second, NOW)).toBe(false);
    expect(await mayStartRun(first, NOW + 1)).toBe(true);
    expect(await mayStartRun(second, NOW + HOUR)).toBe(false);
    expect(await mayStartRun(second, NOW + HOUR + 1)).toBe(true);
    expect(await mayStartRun({ organizationId: `${acme}2`, id: "evt_1" }, NOW)).toBe(true);
  });

  it("start one run if 20 arrive concurrently", async () => {
    const { mayStartRun } = createGapStore(createTable(client(), TABLE));
    const asked = await Promise.all(
      Array.from({ length: 20 }, (_, i) => mayStartRun({ organizationId: acme, id: `evt_${i}` }, NOW)),
    );
    expect(asked.filter(Boolean)).toHaveLength(1);
  });

  it("are not listed as events", async () => {
    await createGapStore(createTable(client(), TABLE)).mayStartRun({ organizationId: acme, id: "evt_1" }, NOW);
    expect(await pendingOf(acme)).toEqual([]);
    expect(await createDeliveredEvents(createTable(client(), TABLE)).delivered(acme, ["evt_1"])).toEqual(new Set());
  });
});
