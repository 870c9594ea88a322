import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { createTable } from "../../../shared/runtime/table.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { type DeliveryStatus, deliveryStatuses, toDelivery } from "../../../shared/webhooks/delivery.ts";
import { createDeliveryListStore } from "../../../shared/webhooks/delivery-list-store.ts";
import { createDeliveryStore } from "../../../shared/webhooks/delivery-store.ts";
import type { Outcome } from "../../../shared/webhooks/webhook-event.ts";
import { createGapStore, createWebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { useDatabase } from "../../support/use-table.ts";
import { NOW, webhookEvent } from "./stored-events.ts";

const TABLE = "webhookEvents";
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const database = useDatabase("webhookEvents");
const proxy = usePerFile(() => startLossyProxy(database.running().endpoint));

let organizations = 0;
let acme: string;
beforeEach(() => {
  acme = `acme/${++organizations} ü#`;
});

const client = () => database.client;
const events = () => createWebhookEventStore(createTable(client(), TABLE));
const deliveries = () => createDeliveryStore(createTable(client(), TABLE));
const list = () => createDeliveryListStore(createTable(client(), TABLE));
const keyOf = (id = "evt_1") => ({ organizationId: acme, id });
const failing = { attempts: 10, at: NOW, reason: "away", isLast: true };

/** Stores an event that was published as soon as it arrived. */
const deliver = async (id: string, receivedAt = NOW, outcome?: Outcome) => {
  await events().add(acme, webhookEvent({ id, receivedAt }));
  await events().markPublished(keyOf(id), receivedAt);
  if (outcome !== undefined) await events().markProcessed(keyOf(id), outcome, receivedAt);
};

/** All pages of a list. */
const listed = async (options: { status?: DeliveryStatus; limit?: number; now?: number } = {}) => {
  const ids: string[] = [];
  const { status, limit = 50, now = NOW } = options;
  let pages = 0;
  let after: Awaited<ReturnType<ReturnType<typeof list>["list"]>>["next"];
  do {
    const page = await list().list(acme, { limit, after, status, now });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    ids.push(...page.items.map(({ id }) => id));
    after = page.next;
    pages++;
  } while (after !== undefined);
  return { ids, pages };
};

describe("the list", () => {
  it("has the organization's events, newest first, page by page, also of the same millisecond", async () => {
    for (const [i, id] of ["evt_a", "evt_b", "evt_c", "evt_d"].entries()) await deliver(id, NOW + Math.floor(i / 2));
    await createGapStore(createTable(client(), TABLE)).mayStartRun(keyOf(), NOW);
    const { ids } = await listed();
    expect([ids.slice(0, 2).sort(), ids.slice(2).sort()]).toEqual([
      ["evt_c", "evt_d"],
      ["evt_a", "evt_b"],
    ]);
    expect(await listed({ limit: 2 })).toEqual({ ids, pages: 2 });
    expect(await listed({ limit: 1 })).toEqual({ ids, pages: 4 });
    acme = `${acme}2`;
    expect((await listed()).ids).toEqual([]);
  });

  it("has events that an earlier version stored, without any of the newer attributes", async () => {
    const { observations: _, ...stored } = webhookEvent({ processedAt: NOW, outcome: "applied" });
    const observations = '[{"kind":"touched","type":"invoices","id":"in_1","seenAt":{"from":1,"to":1}}]';
    const ttl = NOW / 1_000 + 86_400;
    await client().send(
      new PutCommand({ TableName: TABLE, Item: { ...stored, scope: organizationKey(acme), observations, ttl } }),
    );
    const { items } = await list().list(acme, { limit: 1, after: undefined, now: NOW });
    expect(items.map((item) => toDelivery(item, NOW))).toMatchObject([
      { id: "evt_1", status: "applied", changes: [{ type: "invoices", id: "in_1" }] },
    ]);
  });

  it("has no expired event", async () => {
    await deliver("evt_old");
    await deliver("evt_new", NOW + DAY);
    expect((await listed({ now: NOW + 30 * DAY })).ids).toEqual(["evt_new"]);
    expect(await deliveries().read(keyOf("evt_old"), NOW + 30 * DAY)).toBeUndefined();
  });

  it("has those of a status, even if many others are between them", async () => {
    const outcomes = ["applied", "disconnected", "set_aside", "unknown", "ignored", undefined] as const;
    for (const [i, outcome] of outcomes.entries()) await deliver(`evt_${outcome}`, NOW + i, outcome);
    await deliver("evt_failed", NOW - 1);
    await events().noteFailure(keyOf("evt_failed"), failing);
    const byStatus = Object.fromEntries(
      await Promise.all(deliveryStatuses.map(async (status) => [status, (await listed({ status, limit: 2 })).ids])),
    );
    expect(byStatus).toEqual({
      applied: ["evt_disconnected", "evt_applied"],
      waiting: ["evt_undefined"],
      failed: ["evt_failed"],
      set_aside: ["evt_set_aside"],
      ignored: ["evt_ignored", "evt_unknown"],
    });
    for (let i = 0; i < 7; i++) await deliver(`evt_w${i}`, NOW + 10 + i);
    expect(await listed({ status: "failed", limit: 2 })).toMatchObject({ ids: ["evt_failed"] });
  });
});

describe("a delivery", () => {
  const shown = async (now = NOW) => {
    const stored = await deliveries().read(keyOf(), now);
    return stored && toDelivery(stored, now);
  };

  it("waits until it is processed, and then names what it changed", async () => {
    await deliver("evt_1");
    expect(await shown()).toEqual({
      id: "evt_1",
      type: "customer.updated",
      status: "waiting",
      receivedAt: NOW,
      createdAt: NOW - 1_000,
      changes: [{ type: "customers", id: "cus_1" }],
    });
    await events().noteFailure(keyOf(), { ...failing, attempts: 1, isLast: false });
    expect(await shown()).toMatchObject({ status: "waiting", attempts: 1, error: "away" });
    await events().markProcessed(keyOf(), "applied", NOW + 1, { attempts: 2, changed: ["customers#cus_1"] });
    expect(await shown()).toEqual({
      id: "evt_1",
      type: "customer.updated",
      status: "applied",
      receivedAt: NOW,
      createdAt: NOW - 1_000,
      processedAt: NOW + 1,
      outcome: "applied",
      attempts: 2,
      changes: [{ type: "customers", id: "cus_1", written: true }],
    });
    await events().markProcessed(keyOf(), "applied", NOW + 1, { attempts: 2, changed: [] });
    expect(await shown()).toMatchObject({ changes: [{ written: false }] });
  });

  it("fails with its last try, and waits again if its dead letter is redriven", async () => {
    await deliver("evt_1");
    await events().noteFailure(keyOf(), failing);
    expect(await shown()).toMatchObject({ status: "failed", attempts: 10, error: "away" });
    await events().noteFailure(keyOf(), { ...failing, attempts: 1, isLast: false });
    expect(await shown()).toMatchObject({ status: "waiting", attempts: 1 });
  });

  it("fails without a note two hours after the last sign of it, but not while it is in the outbox", async () => {
    await events().add(acme, webhookEvent());
    expect(await shown(NOW + DAY)).toMatchObject({ status: "waiting" });
    await events().markPublished(keyOf(), NOW + MINUTE);
    expect(await shown(NOW + 121 * MINUTE - 1)).toMatchObject({ status: "waiting" });
    expect(await shown(NOW + 121 * MINUTE)).toMatchObject({ status: "failed" });
    await events().noteFailure(keyOf(), { ...failing, at: NOW + 2 * MINUTE, attempts: 9, isLast: false });
    expect(await shown(NOW + 121 * MINUTE)).toMatchObject({ status: "waiting" });
    expect(await shown(NOW + 122 * MINUTE)).toMatchObject({ status: "failed", attempts: 9 });
  });

  it("keeps its outcome if a try that ended later fails", async () => {
    await deliver("evt_1", NOW, "applied");
    await events().noteFailure(keyOf(), failing);
    expect(await shown()).toMatchObject({ status: "applied" });
    expect(await shown()).not.toHaveProperty("error");
  });

  it("is not the item that records gaps", async () => {
    await createGapStore(createTable(client(), TABLE)).mayStartRun(keyOf(), NOW);
    expect(await deliveries().read(keyOf("#gap"), NOW)).toBeUndefined();
  });
});

describe("a replay", () => {
  const replay = (replayId: string, previous?: string) =>
    deliveries().requeue(keyOf(), { replayId, at: NOW + 1, previous });

  it("puts the event into the outbox until it is published, once of 20 at the same time", async () => {
    await deliver("evt_1");
    await events().noteFailure(keyOf(), failing);
    const written = await Promise.all(Array.from({ length: 20 }, (_, i) => replay(`replay-${i}`)));
    expect(written.filter(Boolean)).toHaveLength(1);
    expect(await events().listPending({ before: NOW + 1, limit: 1_000 })).toContainEqual(keyOf());
    await events().markPublished(keyOf(), NOW + 2);
    expect(await events().listPending({ before: NOW + 1, limit: 1_000 })).not.toContainEqual(keyOf());
    const stored = await deliveries().read(keyOf(), NOW);
    expect(stored && toDelivery(stored, NOW)).toMatchObject({ status: "waiting", replayedAt: NOW + 1, error: "away" });
    expect(stored).not.toHaveProperty("attempts");
  });

  it("can be withdrawn, and only by its own request", async () => {
    await deliver("evt_1");
    await events().noteFailure(keyOf(), failing);
    expect(await replay("one")).toBe(true);
    expect(await deliveries().withdraw(keyOf(), { replayId: "two", attempts: 10, at: NOW + 2 })).toBe(false);
    expect(await deliveries().withdraw(keyOf(), { replayId: "one", attempts: 10, at: NOW + 2 })).toBe(true);
    const stored = await deliveries().read(keyOf(), NOW);
    expect(stored && toDelivery(stored, NOW)).toMatchObject({ status: "failed", attempts: 10, error: "away" });
    expect(stored).not.toHaveProperty("replayedAt");
    expect(await replay("two")).toBe(true);
    expect(await replay("three", "one")).toBe(false);
    expect(await replay("three", "two")).toBe(true);
  });

  it("changes no event that has an outcome, and brings no erased event back", async () => {
    expect(await replay("one")).toBe(false);
    expect(await deliveries().read(keyOf(), NOW)).toBeUndefined();
    await deliver("evt_1", NOW, "applied");
    expect(await replay("one")).toBe(false);
    expect(await deliveries().withdraw(keyOf(), { replayId: "one", attempts: 1, at: NOW })).toBe(false);
    expect((await listed({ status: "applied" })).ids).toEqual(["evt_1"]);
  });

  it("is stored even if the first answer to each request is lost", async () => {
    await deliver("evt_1");
    const lossy = createDeliveryStore(createTable(database.clientAt(proxy.url), TABLE));
    // The second attempt of the same call finds the first one's write.
    expect(await lossy.requeue(keyOf(), { replayId: "one", at: NOW, previous: undefined })).toBe(false);
    expect(await lossy.read(keyOf(), NOW)).toMatchObject({ replayId: "one" });
  });
});

it("a table that does not answer causes a domain error in each call", async () => {
  const table = createTable<typeof TABLE>(database.clientAt("http://127.0.0.1:1"), TABLE);
  const gone = createDeliveryStore(table);
  for (const call of [
    () => createDeliveryListStore(table).list(acme, { limit: 1, after: undefined, now: NOW }),
    () => gone.read(keyOf(), NOW),
    () => gone.requeue(keyOf(), { replayId: "one", at: NOW, previous: undefined }),
    () => gone.withdraw(keyOf(), { replayId: "one", attempts: undefined, at: NOW }),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
  }
});
