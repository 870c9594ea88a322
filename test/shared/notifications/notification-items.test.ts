import { describe, expect, it } from "@jest/globals";
import {
  DeliveryMessage,
  parsePublicDeliveryId,
  publicDeliveryId,
  type StoredDelivery,
  toNotificationDelivery,
} from "../../../shared/notifications/delivery.ts";
import { type NotifiedAlert, parseNotification } from "../../../shared/notifications/messages/notification.ts";
import {
  heldKey,
  heldPrefix,
  parseDeliveryItem,
  parseDestinationItem,
  parseHeldItem,
  parseNoticeItem,
  parseStormWindowItem,
  toDestination,
} from "../../../shared/notifications/notification-items.ts";

const AT = Date.UTC(2026, 10, 22);
const destinationId = "01KB0000000000000000000000";
const deliveryId = "01KB0000000000000000000001";

const alert: NotifiedAlert = {
  id: "a1",
  title: "Five failures",
  level: "HIGH",
  rule: "repeated_auth_failures",
  subject: "user:eve",
  status: "open",
  count: 1,
  firstSeen: AT,
  lastSeen: AT,
};

const stored: StoredDelivery = {
  destinationId,
  deliveryId,
  type: "security.alert.raised",
  status: "pending",
  createdAt: AT,
  ttl: 1,
  attempts: [],
  tries: 0,
};

describe("the items of notifications", () => {
  it("keep a destination, whose secrets and version are not shown", () => {
    const shown = {
      id: destinationId,
      type: "webhook",
      name: "SOC",
      target: "https://soc.example/hook",
      status: "active",
      filter: { levels: ["HIGH"] },
      createdAt: AT,
      createdBy: "ada",
      changedAt: AT,
      changedBy: "ada",
    };
    const item = parseDestinationItem({ ...shown, sealed: new Uint8Array([1]), version: "v", scope: "org#acme" });
    expect(toDestination(item)).toEqual(shown);
  });

  it("keep a delivery without attempts, as a new one is stored", () => {
    const { attempts: _, tries: __, ...fields } = stored;
    expect(parseDeliveryItem({ ...fields, scope: "org#acme", key: "k" })).toEqual(stored);
  });

  it("show of a delivery the newest 20 tries, and of an ended one no next try", () => {
    const attempts = Array.from({ length: 25 }, (_, index) => ({ at: AT + index, latencyMs: 1 }));
    const shown = toNotificationDelivery({ ...stored, status: "failed", attempts, notBefore: AT + 1 });
    expect(shown).toMatchObject({ id: `${destinationId}.${deliveryId}`, status: "failed" });
    expect(shown.attempts).toEqual(attempts.slice(5));
    expect(shown.notBefore).toBeUndefined();
  });

  it("keep notices, windows and held notifications", () => {
    expect(parseNoticeItem({ key: "k", ttl: 1, HIGH: { deliveryId, revision: 2 } })).toEqual({
      HIGH: { deliveryId, revision: 2 },
      ttl: 1,
    });
    const window = { startedAt: AT, ids: new Set([deliveryId]) };
    expect(parseStormWindowItem({ ...window, key: "k" })).toEqual(window);
    const entry = { ...alert, change: "raised", url: "https://console.example/alerts/a1" };
    expect(parseHeldItem({ change: "raised", at: AT, entry: JSON.stringify(entry) })).toEqual({
      change: "raised",
      at: AT,
      entry,
    });
  });

  it("have held notifications below the prefix of their bundle", () => {
    const bundle = { destinationId, deliveryId };
    expect(heldKey("acme", bundle, { alertId: "a1", claim: "resolved" }).key).toBe(`${heldPrefix(bundle)}a1#resolved`);
  });
});

describe("the public id of a delivery", () => {
  it("names its destination and the delivery", () => {
    const ref = { destinationId, deliveryId };
    expect(parsePublicDeliveryId(publicDeliveryId(ref))).toEqual(ref);
  });

  it.each([
    "",
    destinationId,
    `${destinationId}.`,
    `${destinationId}.${deliveryId}.x`,
    `${destinationId}#${deliveryId}`,
  ])("is no other text: %j", (id) => {
    expect(parsePublicDeliveryId(id)).toBeUndefined();
  });
});

describe("a message in the queue", () => {
  it("names the organization, the destination and the delivery", () => {
    const message = { organizationId: "acme", destinationId, deliveryId };
    expect(DeliveryMessage.parse({ ...message, other: 1 })).toEqual(message);
  });
});

describe("a stored notification", () => {
  it("is read back", () => {
    const notification = {
      type: "security.alert.escalated",
      timestamp: AT,
      organizationId: "acme",
      data: { alert, previousLevel: "MEDIUM", url: "https://console.example/alerts/a1" },
    };
    expect(parseNotification(JSON.stringify(notification))).toEqual(notification);
  });

  it("is refused without its data", () => {
    expect(() => parseNotification('{"type":"report.created","timestamp":1,"organizationId":"acme"}')).toThrow();
  });
});
