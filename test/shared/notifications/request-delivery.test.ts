import { beforeEach, describe, expect, it } from "@jest/globals";
import { type DeliveryMessage, newDelivery } from "../../../shared/notifications/delivery.ts";
import { createNotificationDeliveryStore } from "../../../shared/notifications/delivery-store.ts";
import { createHandOver } from "../../../shared/notifications/hand-over.ts";
import { createRetryDelivery, createTestDestination } from "../../../shared/notifications/request-delivery.ts";
import { createTestWindowStore } from "../../../shared/notifications/test-window-store.ts";
import { destinationAt, NOON } from "../../support/notifications.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useTable } from "../../support/use-table.ts";

quietLog();

const table = useTable("notifications");
const ID = "01KA3XQZ6W8Y2V4T6R8P0N2M4K";
const ref = { destinationId: ID, deliveryId: ID };
let organizationId = "";
let organizations = 0;
type Message = { body: DeliveryMessage; group: string };
let sent: Message[] = [];
let queue: (messages: readonly Message[]) => readonly unknown[];

beforeEach(async () => {
  organizationId = `acme ${++organizations}`;
  sent = [];
  queue = (messages) => {
    sent.push(...messages);
    return [];
  };
  const failed = { type: "notification.test", status: "failed", createdAt: NOON, endedAt: NOON } as const;
  await createNotificationDeliveryStore(table).put(organizationId, newDelivery(ref, failed));
});

const destinations = { read: async () => ({ ...destinationAt(ID), sealed: new Uint8Array([1]), version: "v" }) };
const toQueue = { send: async (messages: readonly Message[]) => queue(messages) };

const requestAs = (id: string, at: number) =>
  ({
    caller: { organizationId, userId: "ada", sessionId: undefined },
    identity: { id, at },
  }) as Parameters<ReturnType<typeof createRetryDelivery>>[1];

const retryAs = (id: string) =>
  createRetryDelivery({
    destinations,
    deliveries: createNotificationDeliveryStore(table),
    queue: toQueue,
    now: () => NOON,
  })(`${ID}.${ID}`, requestAs(id, NOON));

const testAs = (id: string, at = NOON) =>
  createTestDestination({
    destinations,
    window: createTestWindowStore(table),
    handOver: createHandOver({ deliveries: createNotificationDeliveryStore(table), queue: toQueue }),
    now: () => at,
  })(ID, requestAs(id, NOON));

describe("samples", () => {
  it("are sent ten times a minute, however many are asked for at once, and again in the next minute", async () => {
    const results = await Promise.allSettled(Array.from({ length: 25 }, (_, i) => testAs(`t${i}`)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect(sent).toHaveLength(10);
    await expect(testAs("later", NOON + 18_000)).rejects.toMatchObject({
      code: "too_many_tests",
      retryAfterSeconds: 42,
    });
    const next = NOON + 60_000;
    for (let i = 0; i < 10; i++) await testAs(`n${i}`, next);
    await expect(testAs("over", next)).rejects.toMatchObject({ code: "too_many_tests" });
  });

  it("count once for a request and its repetitions", async () => {
    for (let i = 0; i < 10; i++) await testAs(`t${i}`);
    expect(await testAs("t3")).toMatchObject({ status: "pending" });
    await expect(testAs("t10")).rejects.toMatchObject({ code: "too_many_tests" });
  });

  it("of one organization do not count for another", async () => {
    for (let i = 0; i < 10; i++) await testAs(`t${i}`);
    organizationId = `acme ${++organizations}`;
    expect(await testAs("t10")).toMatchObject({ status: "pending" });
  });
});

describe("a retry", () => {
  it("sends one message, and another retry is refused until the delivery has failed again", async () => {
    expect(await retryAs("r1")).toMatchObject({ status: "pending", requestedBy: "ada" });
    await expect(retryAs("r2")).rejects.toMatchObject({ code: "delivery_not_failed" });
    expect(sent).toEqual([{ body: { organizationId, ...ref }, delaySeconds: 0, group: organizationId }]);
  });

  it("that died before it sent its message is handed over by the next retry", async () => {
    queue = () => {
      throw new Error("The instance has died.");
    };
    await expect(retryAs("r1")).rejects.toThrow("died");
    queue = (messages) => {
      sent.push(...messages);
      return [];
    };
    expect(await retryAs("r2")).toMatchObject({ status: "pending" });
    expect(sent).toHaveLength(1);
    await expect(retryAs("r3")).rejects.toMatchObject({ code: "delivery_not_failed" });
  });

  it("is taken back if the queue refuses it, and can be repeated", async () => {
    queue = (messages) => messages;
    await expect(retryAs("r1")).rejects.toMatchObject({ code: "store_unavailable" });
    queue = () => [];
    expect(await retryAs("r2")).toMatchObject({ status: "pending" });
  });
});
