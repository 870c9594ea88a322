import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { createTable, putItem } from "../../../shared/runtime/table.ts";
import { organizationIdOf, organizationKey } from "../../../shared/terms/keys.ts";
import { DeliveryPosition } from "../../../shared/webhooks/delivery.ts";
import { createDeliveryListStore } from "../../../shared/webhooks/delivery-list-store.ts";
import { createDeliveryStore } from "../../../shared/webhooks/delivery-store.ts";
import { eventPartitions, keyOf } from "../../../shared/webhooks/event-partitions.ts";
import { createDeliveredEvents, createWebhookEventStore } from "../../../shared/webhooks/webhook-event-store.ts";
import { fc } from "../../support/fixed-seed.ts";
import { useDatabase } from "../../support/use-table.ts";
import { NOW, webhookEvent } from "./stored-events.ts";

const TABLE = "webhookEvents";
const DAY = 86_400_000;

const database = useDatabase(TABLE);
const table = () => createTable<typeof TABLE>(database.client, TABLE);
const events = () => createWebhookEventStore(table());
const delivery = () => createDeliveryStore(table());

let organizations = 0;
let acme: string;
beforeEach(() => {
  acme = `acme/${++organizations} ü#`;
});

const eventKey = (id: string) => ({ organizationId: acme, id });
const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `evt_1Q${(i * 7_919).toString(36)}`);

/** An id whose partition is not the first one, where earlier versions stored it. */
const movedId = () => idsOf(10).find((id) => keyOf(eventKey(id)).scope !== organizationKey(acme)) ?? "";

/** Stores an event as earlier versions did: in the organization's first partition. */
const storeEarlier = async (id: string, receivedAt = NOW, more: object = {}) => {
  const { observations: _, ...event } = webhookEvent({ id, receivedAt });
  const ttl = Math.floor(receivedAt / 1_000) + 30 * 86_400;
  const item = { ...event, observations: "[]", scope: organizationKey(acme), ttl };
  await putItem(table(), { ...item, ...more });
};

/** A client that refuses writes of a partition after this many, as DynamoDB does within a second. */
const refusingAfter = (writesOfPartition: number): DynamoDBDocumentClient => {
  const client = database.newClient();
  const written = new Map<unknown, number>();
  client.middlewareStack.add(
    (next) => async (args) => {
      const { Item, Key } = args.input as { Item?: { scope: string }; Key?: { scope: string } };
      const scope = Item?.scope ?? Key?.scope;
      const writes = (written.get(scope) ?? 0) + 1;
      written.set(scope, writes);
      if (writes > writesOfPartition) {
        throw Object.assign(new Error("The partition is hot."), { name: "ThrottlingException" });
      }
      return next(args);
    },
    { step: "initialize" },
  );
  return client;
};

describe("an organization with many webhooks", () => {
  it("has three times as many stored, published and processed in a second as one partition takes", async () => {
    const store = createWebhookEventStore(createTable(refusingAfter(100), TABLE));
    // Three writes each.
    for (const id of idsOf(100)) {
      await store.add(acme, webhookEvent({ id }));
      await store.markPublished(eventKey(id), NOW);
      await store.markProcessed(eventKey(id), "applied", NOW);
    }
    const { items } = await createDeliveryListStore(table()).list(acme, { limit: 1_000, after: undefined, now: NOW });
    expect(items.filter(({ outcome }) => outcome === "applied")).toHaveLength(100);
  });

  it("has its id in the key of each partition", () => {
    expect(eventPartitions(acme).map(organizationIdOf)).toEqual([acme, acme, acme, acme]);
    expect(new Set(eventPartitions(acme)).size).toBe(4);
  });

  it("has its partitions' events in the outbox", async () => {
    const ids = idsOf(20);
    for (const id of ids) await events().add(acme, webhookEvent({ id }));
    const waiting = await events().listPending({ before: NOW + 1, limit: 100 });
    const own = waiting.filter(({ organizationId }) => organizationId === acme);
    expect(own.map(({ id }) => id).sort()).toEqual(ids.sort());
  });
});

describe("the list of deliveries", () => {
  /** All pages, and the number of calls. */
  const pagesOf = async (limit: number, start?: DeliveryPosition) => {
    const ids: string[] = [];
    const times: number[] = [];
    let after = start;
    do {
      const page = await createDeliveryListStore(table()).list(acme, { limit, after, now: NOW });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      ids.push(...page.items.map(({ id }) => id));
      times.push(...page.items.map(({ receivedAt }) => receivedAt));
      after = page.next;
    } while (after !== undefined);
    return { ids, times };
  };

  it("has each event once, newest first, for any page size, also of the same millisecond", async () => {
    const arrival = fc.record({ at: fc.nat(3), isEarlier: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { maxLength: 14 }),
        fc.integer({ min: 1, max: 6 }),
        async (arrivals, limit) => {
          acme = `acme/${++organizations}`;
          const ids = idsOf(arrivals.length);
          for (const [i, { at, isEarlier }] of arrivals.entries()) {
            const id = ids[i] ?? "";
            if (isEarlier) await storeEarlier(id, NOW - at);
            else await events().add(acme, webhookEvent({ id, receivedAt: NOW - at }));
          }
          const listed = await pagesOf(limit);
          expect([...listed.ids].sort()).toEqual([...ids].sort());
          expect(listed.times).toEqual([...listed.times].sort((a, b) => b - a));
          expect((await pagesOf(100)).ids).toEqual(listed.ids);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("goes on after any of its items, where a page that would be too large ends", async () => {
    const ids = idsOf(12);
    for (const [i, id] of ids.entries())
      await events().add(acme, webhookEvent({ id, receivedAt: NOW - Math.floor(i / 3) }));
    const { items } = await createDeliveryListStore(table()).list(acme, { limit: 12, after: undefined, now: NOW });
    for (const [i, item] of items.entries()) {
      const { ids: rest } = await pagesOf(5, DeliveryPosition.parse(item));
      expect(rest).toEqual(items.slice(i + 1).map(({ id }) => id));
    }
  });

  it("goes on after a cursor of an earlier version", async () => {
    const ids = idsOf(8);
    for (const [i, id] of ids.entries()) await storeEarlier(id, NOW - i);
    const { ids: rest } = await pagesOf(3, { receivedAt: NOW - 2, id: ids[2] ?? "", partition: 0 });
    expect(rest).toEqual(ids.slice(3));
  });
});

describe("an event that an earlier version stored", () => {
  it("is read, and changed where it is", async () => {
    const id = movedId();
    await storeEarlier(id);
    expect(await events().read(acme, id, NOW)).toMatchObject({ id });
    await events().markProcessed(eventKey(id), "applied", NOW + 1);
    expect(await delivery().read(eventKey(id), NOW)).toMatchObject({ outcome: "applied", processedAt: NOW + 1 });
    const { items } = await createDeliveryListStore(table()).list(acme, { limit: 10, after: undefined, now: NOW });
    expect(items.map((item) => [item.id, item.outcome])).toEqual([[id, "applied"]]);
  });

  it("is not stored again when it arrives again", async () => {
    const id = movedId();
    await storeEarlier(id, NOW, { pendingShard: "pending#0" });
    const again = webhookEvent({ id, receivedAt: NOW + DAY });
    expect(await events().add(acme, again)).toBe("pending");
    await events().markPublished(eventKey(id), NOW + DAY);
    expect(await events().add(acme, again)).toBe("done");
    const { items } = await createDeliveryListStore(table()).list(acme, { limit: 10, after: undefined, now: NOW });
    expect(items).toHaveLength(1);
  });

  it("is stored again after it has expired", async () => {
    const id = movedId();
    await storeEarlier(id);
    expect(await events().add(acme, webhookEvent({ id, receivedAt: NOW + 30 * DAY }))).toBe("new");
  });

  it("counts as delivered, beside the events of this version", async () => {
    const [earlier = "", own = "", waiting = "", missing = ""] = idsOf(4);
    await storeEarlier(earlier, NOW, { outcome: "applied" });
    for (const id of [own, waiting]) await events().add(acme, webhookEvent({ id }));
    await events().markProcessed(eventKey(own), "applied", NOW);
    const delivered = await createDeliveredEvents(table()).delivered(acme, [earlier, own, waiting, missing]);
    expect([...delivered].sort()).toEqual([earlier, own].sort());
  });

  it("can be replayed", async () => {
    const id = movedId();
    await storeEarlier(id, NOW, { failedAt: NOW, attempts: 10 });
    expect(await delivery().requeue(eventKey(id), { replayId: "r1", at: NOW, previous: undefined })).toBe(true);
    expect(await delivery().requeue(eventKey(id), { replayId: "r2", at: NOW, previous: undefined })).toBe(false);
    expect(await delivery().withdraw(eventKey(id), { replayId: "r1", attempts: 10, at: NOW })).toBe(true);
    expect(await delivery().read(eventKey(id), NOW)).toMatchObject({ attempts: 10, failedAt: NOW });
  });
});
