import { beforeEach, describe, expect, it } from "@jest/globals";
import { type DeliveryMessage, newDelivery } from "../../../shared/notifications/delivery.ts";
import { createNotificationDeliveryStore } from "../../../shared/notifications/delivery-store.ts";
import { createRetryDelivery } from "../../../shared/notifications/request-delivery.ts";
import { destinationAt, NOON } from "../../support/notifications.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { useTable } from "../../support/use-table.ts";

quietLog();

const table = useTable("notifications");
const ID = "01KA3XQZ6W8Y2V4T6R8P0N2M4K";
const ref = { destinationId: ID, deliveryId: ID };
let organizationId = "";
let organizations = 0;
let sent: { body: DeliveryMessage }[] = [];
let queue: (messages: readonly { body: DeliveryMessage }[]) => readonly unknown[];

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

const retryAs = (id: string) =>
  createRetryDelivery({
    destinations: { read: async () => ({ ...destinationAt(ID), sealed: new Uint8Array([1]), version: "v" }) },
    deliveries: createNotificationDeliveryStore(table),
    queue: { send: async (messages) => queue(messages) },
    now: () => NOON,
  })(`${ID}.${ID}`, {
    caller: { organizationId, userId: "ada", sessionId: undefined },
    identity: { id, at: NOON },
  } as Parameters<ReturnType<typeof createRetryDelivery>>[1]);

describe("a retry", () => {
  it("sends one message, and another retry is refused until the delivery has failed again", async () => {
    expect(await retryAs("r1")).toMatchObject({ status: "pending", requestedBy: "ada" });
    await expect(retryAs("r2")).rejects.toMatchObject({ code: "delivery_not_failed" });
    expect(sent.map(({ body }) => body)).toEqual([{ organizationId, ...ref }]);
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
