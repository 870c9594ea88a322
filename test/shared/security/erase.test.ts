import { describe, expect, it } from "@jest/globals";
import { eventLeaf } from "../../../shared/evidence/sealed-log.ts";
import { cleanEvent, cleanEventOfUser, eventsOfUser } from "../../../shared/security/erase.ts";
import { toItem } from "../../../shared/security/event-item.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { createUserMatcher } from "../../../shared/terms/mentions-user.ts";
import type { ItemChange, StoredItem } from "../../../shared/work/location.ts";

const person = {
  userId: "bob",
  userKey: "org#acme#bob",
  sessionId: "s-1",
  ipAddress: "192.0.2.7",
  userAgent: "curl/8",
};
const event = {
  id: "1",
  organizationId: "acme",
  eventType: "PERMISSION_DENIED",
  success: false,
  errorCode: "40302",
  action: "get_records",
  ms: 12,
};
const salt = new Uint8Array(16).fill(7);
const sealedEvent: SecurityEvent = {
  id: "01M7YTFR2007ENW3AHRZ6DMV29",
  organizationId: "acme",
  userId: "bob",
  eventType: "PERMISSION_DENIED",
  category: "authorization",
  riskLevel: "HIGH",
  source: "user",
  success: false,
  processed: false,
  alertGenerated: false,
  timestamp: 1,
  createdAt: 1,
  metadata: { reason: "by bob" },
};
const of = { userId: "bob", matcher: createUserMatcher(["bob"]), addresses: new Set(["192.0.2.7"]) };

describe("an event, when all data is erased", () => {
  it("loses the user, the origin and texts that others may have written", () => {
    const item = { ...event, ...person, errorMessage: "no calls from 192.0.2.7", resource: "GET /records" };
    expect(cleanEvent(item)).toEqual({ remove: [...Object.keys(person), "errorMessage"], set: {} });
  });

  it.each([
    ["GET /api/integrations/provider/security", undefined],
    ["circuit", undefined],
    ["acct_1AbC", { remove: ["resource"], set: {} }],
    ["cus_9", { remove: ["resource"], set: {} }],
  ])("loses the resource %s only if it is the provider's", (resource, expected) => {
    expect(cleanEvent({ ...event, resource })).toEqual(expected);
  });

  it("keeps numbers, flags and the service's own words in its metadata", () => {
    const metadata = {
      durationMs: 12.5,
      attempts: 1,
      isLowerBound: true,
      runId: "01K",
      type: "invoices",
      cause: "force_open",
      reason: "maintenance by bob",
      eventId: "evt_1",
      ipAllowlist: { from: [], to: ["192.0.2.0/24"] },
      "recordAccess.member": { from: [], to: ["invoices"] },
    };
    expect(cleanEvent({ ...event, metadata: JSON.stringify(metadata) })).toEqual({
      remove: [],
      set: {
        metadata:
          '{"durationMs":12.5,"attempts":1,"isLowerBound":true,"runId":"01K","type":"invoices","cause":"force_open","recordAccess.member":{"from":[],"to":["invoices"]}}',
      },
    });
    expect(cleanEvent({ ...event, metadata: '{"reason":"bob"}' })).toEqual({ remove: ["metadata"], set: {} });
    // Integers beyond the precision of a double stay exact.
    expect(cleanEvent({ ...event, metadata: '{"durationMs":9007199254740993,"reason":"x"}' })).toEqual({
      remove: [],
      set: { metadata: '{"durationMs":9007199254740993}' },
    });
  });

  it("stays unchanged without personal data", () => {
    expect(cleanEvent(event)).toBeUndefined();
    expect(cleanEvent({ ...event, metadata: '{"durationMs":9007199254740993,"runId":"01K"}' })).toBeUndefined();
  });
});

describe("an event, when a user is erased", () => {
  it("loses everything personal if it is the user's own", () => {
    const item = {
      ...event,
      ...person,
      errorMessage: "of 192.0.2.7",
      resource: "acct_1",
      metadata: '{"reason":"typed"}',
    };
    expect(cleanEventOfUser(item, of)).toEqual({
      remove: [...Object.keys(person), "errorMessage", "metadata"],
      set: {},
    });
    expect(cleanEventOfUser({ ...event, userId: "bob", metadata: '{"durationMs":3,"requestId":"bob"}' }, of)).toEqual({
      remove: ["userId"],
      set: { metadata: '{"durationMs":3,"requestId":""}' },
    });
  });

  it("of another user loses only fields that mention the erased user", () => {
    const item = { ...event, ...person, userId: "ada", userKey: "org#acme#ada" };
    expect(cleanEventOfUser(item, of)).toBeUndefined();
    expect(cleanEventOfUser({ ...item, errorMessage: "not bob", metadata: '{"reason":"for bob","n":1}' }, of)).toEqual({
      remove: ["errorMessage"],
      set: { metadata: '{"reason":"","n":1}' },
    });
  });

  it("loses the address if it counts failures from the user's address", () => {
    const count = { ...event, eventType: "AUTHENTICATION_FAILURE", ipAddress: "192.0.2.7", userAgent: "curl/8" };
    expect(cleanEventOfUser(count, of)).toEqual({ remove: ["ipAddress", "userAgent"], set: {} });
    expect(cleanEventOfUser({ ...count, ipAddress: "192.0.2.8" }, of)).toBeUndefined();
    expect(cleanEventOfUser({ ...count, userId: "ada" }, of)).toBeUndefined();
    expect(cleanEventOfUser({ ...count, eventType: "WEBHOOK_RECEIVED" }, of)).toBeUndefined();
  });

  it("loses the network if it counts failures from the network of the user's IPv6 address", async () => {
    const failure = { ...event, eventType: "AUTHENTICATION_FAILURE", ipAddress: "2001:db8:1:2::7" };
    const items = [
      { ...failure, userId: "bob", sortKey: "1" },
      { ...failure, ipAddress: "2001:db8:1:2::/64", sortKey: "2" },
      { ...failure, ipAddress: "2001:db8:1:3::/64", sortKey: "3" },
    ];
    const changes: ItemChange[] = [];
    const partition = {
      read: async () => ({ items, next: undefined }),
      apply: async (made: readonly ItemChange[]) => void changes.push(...made),
    };
    const page = await eventsOfUser(partition, "e1", { ...of, addresses: new Set() }).read(undefined);
    expect(page.keys).toEqual(["1", "2"]);
    await page.erase();
    const set = { erasure: "e1", salt: expect.any(Uint8Array) };
    expect(changes.at(-1)).toEqual({ key: "2", change: { remove: ["ipAddress"], set } });
  });

  it("keeps the leaf that it had before the first erasure, and gets a salt of its own in each", async () => {
    const whole: StoredItem = { ...toItem(sealedEvent, 1, { salt, isLate: false }), sortKey: sealedEvent.id };
    const emptiedBy = async (item: StoredItem, erasureId: string) => {
      const changes: ItemChange[] = [];
      const partition = {
        read: async () => ({ items: [item], next: undefined }),
        apply: async (made: readonly ItemChange[]) => void changes.push(...made),
      };
      await (await eventsOfUser(partition, erasureId, { ...of, addresses: new Set() }).read(undefined)).erase();
      const [change] = changes;
      if (change === undefined || change.change === "delete") throw new Error("The event was not emptied.");
      const { remove, set } = change.change;
      return Object.fromEntries(
        Object.entries({ ...item, ...set }).filter(([name]) => !remove.includes(name)),
      ) as StoredItem;
    };
    const once = await emptiedBy(whole, "e1");
    expect(once).toMatchObject({ hash: eventLeaf(sealedEvent, salt), erasure: "e1" });
    const twice = await emptiedBy({ ...once, errorMessage: "about bob" }, "e2");
    expect(twice).toMatchObject({ hash: eventLeaf(sealedEvent, salt), erasure: "e2" });
    const salts = [whole, once, twice].map((item) => Buffer.from(item.salt as Uint8Array).toString("hex"));
    expect(new Set(salts).size).toBe(3);
  });
});
