import { describe, expect, it } from "@jest/globals";
import { cleaningOfAlert, ERASED_TEXT, namesAddress } from "../../../shared/erasure/clean-alert.ts";
import { cleaningOfAll, cleaningOfUser } from "../../../shared/erasure/clean-event.ts";
import { createNaming } from "../../../shared/terms/mentions-user.ts";

const person = {
  ...{ userId: "bob", userKey: "org#acme#bob", sessionId: "s-1", ipAddress: "192.0.2.7", userAgent: "curl/8" },
};
const event = {
  ...{ id: "1", organizationId: "acme", eventType: "PERMISSION_DENIED", success: false, errorCode: "40302" },
  ...{ action: "get_records", ms: 12 },
};
const of = { userId: "bob", naming: createNaming(["bob"]), addresses: new Set(["192.0.2.7"]) };

describe("of an event, when all is erased", () => {
  it("goes who it was, and what others may have written", () => {
    const item = { ...event, ...person, errorMessage: "no calls from 192.0.2.7", resource: "GET /records" };
    expect(cleaningOfAll(item)).toEqual({ remove: [...Object.keys(person), "errorMessage"], set: {} });
  });

  it.each([
    ["GET /api/integrations/provider/security", undefined],
    ["circuit", undefined],
    ["acct_1AbC", { remove: ["resource"], set: {} }],
    ["cus_9", { remove: ["resource"], set: {} }],
  ])("of the resource %s goes what is the provider's", (resource, expected) => {
    expect(cleaningOfAll({ ...event, resource })).toEqual(expected);
  });

  it("stay numbers, flags and our own words of the metadata", () => {
    const metadata = {
      ...{ durationMs: 12.5, attempts: 1, isLowerBound: true, runId: "01K", type: "invoices", cause: "force_open" },
      ...{ reason: "maintenance by bob", eventId: "evt_1", ipAllowlist: { from: [], to: ["192.0.2.0/24"] } },
      ...{ "recordAccess.member": { from: [], to: ["invoices"] } },
    };
    expect(cleaningOfAll({ ...event, metadata: JSON.stringify(metadata) })).toEqual({
      remove: [],
      set: {
        metadata:
          '{"durationMs":12.5,"attempts":1,"isLowerBound":true,"runId":"01K","type":"invoices","cause":"force_open","recordAccess.member":{"from":[],"to":["invoices"]}}',
      },
    });
    expect(cleaningOfAll({ ...event, metadata: '{"reason":"bob"}' })).toEqual({ remove: ["metadata"], set: {} });
    // Digits that a double cannot hold stay as they are.
    expect(cleaningOfAll({ ...event, metadata: '{"durationMs":9007199254740993,"reason":"x"}' })).toEqual({
      ...{ remove: [], set: { metadata: '{"durationMs":9007199254740993}' } },
    });
  });

  it("changes nothing where there is nothing", () => {
    expect(cleaningOfAll(event)).toBeUndefined();
    expect(cleaningOfAll({ ...event, metadata: '{"durationMs":9007199254740993,"runId":"01K"}' })).toBeUndefined();
  });
});

describe("of an event, when a user is erased", () => {
  it("goes everything personal of their own", () => {
    const item = {
      ...event,
      ...person,
      errorMessage: "of 192.0.2.7",
      resource: "acct_1",
      metadata: '{"reason":"typed"}',
    };
    expect(cleaningOfUser(item, of)).toEqual({
      remove: [...Object.keys(person), "errorMessage", "metadata"],
      set: {},
    });
    expect(cleaningOfUser({ ...event, userId: "bob", metadata: '{"durationMs":3,"requestId":"bob"}' }, of)).toEqual({
      remove: ["userId"],
      set: { metadata: '{"durationMs":3,"requestId":""}' },
    });
  });

  it("goes of others' what names them, and no more", () => {
    const item = { ...event, ...person, userId: "ada", userKey: "org#acme#ada" };
    expect(cleaningOfUser(item, of)).toBeUndefined();
    expect(cleaningOfUser({ ...item, errorMessage: "not bob", metadata: '{"reason":"for bob","n":1}' }, of)).toEqual({
      remove: ["errorMessage"],
      set: { metadata: '{"reason":"","n":1}' },
    });
  });

  it("goes the address of counts that stand for their failures", () => {
    const count = { ...event, eventType: "AUTHENTICATION_FAILURE", ipAddress: "192.0.2.7", userAgent: "curl/8" };
    expect(cleaningOfUser(count, of)).toEqual({ remove: ["ipAddress", "userAgent"], set: {} });
    expect(cleaningOfUser({ ...count, ipAddress: "192.0.2.8" }, of)).toBeUndefined();
    expect(cleaningOfUser({ ...count, userId: "ada" }, of)).toBeUndefined();
    expect(cleaningOfUser({ ...count, eventType: "WEBHOOK_RECEIVED" }, of)).toBeUndefined();
  });
});

describe("an alert, when a user is erased", () => {
  const alert = { id: "a", rule: "event_threshold", title: "Authorization failures", status: "open" };
  const user = { userId: "bob", naming: createNaming(["bob"]), holdsTheirEvents: false };

  it.each([
    ["PERMISSION_DENIED user:bob", "delete"],
    ["user:bob", "delete"],
    ["PERMISSION_DENIED bob", "delete"],
    ["PERMISSION_DENIED user:bob-2", undefined],
    ["PERMISSION_DENIED user:ada", undefined],
    ["AUTHENTICATION_FAILURE address:192.0.2.7", undefined],
  ])("about %s: %s", (subject, expected) => {
    expect(cleaningOfAlert({ ...alert, subject }, user)).toEqual(expected);
  });

  it("goes where it names an address of theirs", () => {
    const subject = "AUTHENTICATION_FAILURE address:192.0.2.7";
    expect(namesAddress({ ...alert, subject })).toBe(true);
    expect(namesAddress({ ...alert, subject: "x", evidence: '{"addresses":["2001:db8::7"]}' })).toBe(true);
    expect(namesAddress({ ...alert, subject: "connection", evidence: '{"count":7,"hours":12}' })).toBe(false);
    expect(cleaningOfAlert({ ...alert, subject }, { ...user, holdsTheirEvents: true })).toBe("delete");
  });

  it("loses what names them where it is about another matter", () => {
    const item = {
      ...{ ...alert, subject: "organization", title: "Ask bob", message: "it was bob", acknowledgedBy: "bob" },
      ...{ resolvedBy: "ada", metadata: '{"who":"bob"}', evidence: '{"users":["bob"]}', eventIds: new Set(["01K"]) },
    };
    expect(cleaningOfAlert(item, user)).toEqual({
      remove: ["acknowledgedBy", "message", "metadata", "evidence"],
      set: { title: ERASED_TEXT },
    });
    expect(cleaningOfAlert({ ...item, title: "Ask ada", message: "" }, user)).toMatchObject({ set: {} });
  });
});
