import { describe, expect, it, jest } from "@jest/globals";
import type {
  OrganizationStats,
  Record as ProviderRecord,
  WebhookDelivery,
} from "../../../functions/console/app/api/types.ts";
import {
  holdEnd,
  type StateName,
  stateOf,
  stateSentence,
  stateWords,
} from "../../../functions/console/app/views/circuit-breaker/state-words.ts";
import { itemInWords, nameOf, toneOf } from "../../../functions/console/app/views/records/record-words.ts";
import { lastedInWords } from "../../../functions/console/app/views/syncs/run-words.ts";
import {
  changeInWords,
  isStatus,
  lateBy,
  outcomeInWords,
  processedAfter,
  statuses,
  typeInWords,
  waitingAgain,
} from "../../../functions/console/app/views/webhooks/delivery-words.ts";
import { addressBelow, currentPage, isDecodable, isWithin } from "../../../functions/console/app/words/address.ts";
import { noteServiceTime, serviceNow } from "../../../functions/console/app/words/clock.ts";
import { recordAddress, recordTypes, typeNames } from "../../../functions/console/app/words/record-types.ts";

const MINUTE = 60_000;
const plain = (text: string | undefined) => text?.replaceAll(/\s/g, " ");

describe("the menu", () => {
  it.each([
    ["/console", "/console", true],
    ["/console/alerts", "/console", false],
    ["/console/alerts", "/console/alerts", true],
    ["/console/alerts/a", "/console/alerts", true],
    ["/console/alerts-of-others", "/console/alerts", false],
    ["/console/events", "/console/alerts", false],
  ])("at %s has %s open: %s", (path, view, isOpen) => {
    expect(isWithin(path, view)).toBe(isOpen);
    expect(currentPage(isWithin(path, view))).toBe(isOpen ? "page" : undefined);
  });

  it("leads to ids of any text", () => {
    expect(addressBelow("/console/events", "a/b \ud800")).toBe("/console/events/a%2Fb%20%EF%BF%BD");
    expect(["/console/events/%", "/console/events/%2F"].map(isDecodable)).toEqual([false, true]);
  });
});

describe("the time of the service", () => {
  it.each([
    ["ahead of the browser", 90_000, 90_000],
    ["behind the browser", -90_000, -90_000],
    ["nearly that of the browser", 4_000, 0],
  ])("is %s", (_, difference, expected) => {
    const now = Date.UTC(2026, 10, 22);
    const clock = jest.spyOn(Date, "now").mockReturnValue(now);
    noteServiceTime(new Date(now + difference).toUTCString());
    expect(serviceNow() - now).toBe(expected);
    for (const unusable of [null, "soon"]) noteServiceTime(unusable);
    expect(serviceNow() - now).toBe(expected);
    clock.mockRestore();
  });
});

describe("a sync run", () => {
  it.each([
    ["that has ended", { startedAt: 0, finishedAt: 4 * MINUTE }, "4 min"],
    ["under way", { startedAt: 0 }, "1 hr so far"],
    ["that began after the browser's time", { startedAt: 90 * MINUTE }, "1 sec so far"],
  ])("%s took its own time", (_, run, expected) => {
    expect(plain(lastedInWords(run, 60 * MINUTE))).toBe(expected);
  });
});

describe("the state of the circuit breaker", () => {
  const circuit = (state: string, forced: boolean) => ({ state, forced, until: null }) as OrganizationStats;

  it.each<[OrganizationStats, StateName, string, RegExp]>([
    [circuit("closed", false), "closed", "good", /^Requests reach the provider\.$/],
    [circuit("open", false), "open", "bad", /no request is sent to the provider for 30 seconds/],
    [circuit("half_open", false), "half_open", "warn", /^A few requests may test/],
    [circuit("open", true), "forced_open", "bad", /is stopped: no request reaches .* until an administrator resets/],
    [circuit("closed", true), "forced_closed", "warn", /even if it fails, until an administrator resets/],
  ])("%j is %s", (stats, name, tone, sentence) => {
    expect([stateOf(stats), stateWords[name][0]]).toEqual([name, tone]);
    expect(stateSentence(stats, 0)).toMatch(sentence);
  });

  it("names the end of a hold", () => {
    expect(holdEnd(5, 0)).toMatch(/^until .*\d:\d\d/);
  });
});

describe("a delivery of a webhook", () => {
  const delivery = (fields: object = {}) =>
    ({
      id: "evt_1",
      type: "invoice.paid",
      status: "applied",
      createdAt: 0,
      receivedAt: 0,
      changes: [],
      ...fields,
    }) as WebhookDelivery;

  it.each([
    ["at once", { receivedAt: MINUTE }, undefined],
    ["late", { receivedAt: MINUTE + 1 }, MINUTE + 1],
  ])("that came %s says so", (_, fields, expected) => {
    expect(lateBy(delivery(fields))).toBe(expected);
  });

  it.each([
    ["that waits", {}, undefined],
    ["that was processed", { receivedAt: 10, processedAt: 15 }, 5],
    ["that was replayed", { receivedAt: 10, replayedAt: 100, processedAt: 103 }, 3],
    ["whose replay came after its processing", { receivedAt: 10, replayedAt: 100, processedAt: 50 }, 0],
  ])("%s took its own time", (_, fields, expected) => {
    expect(processedAfter(delivery(fields))).toBe(expected);
  });

  it("says what became of it, and of its records", () => {
    expect(outcomeInWords(delivery({ outcome: "unknown" }))).toBe("The service does not use events of this type.");
    expect(outcomeInWords(delivery({ outcome: "unknown", error: "Why" }))).toBe("Why");
    expect(outcomeInWords(delivery({ outcome: "applied" }))).toBeUndefined();
    expect(changeInWords({ written: true }, "set_aside")).toBe("changed");
    expect([changeInWords({ written: false }, "set_aside"), changeInWords({ written: false }, "applied")]).toEqual([
      "not changed",
      "was up to date already",
    ]);
    expect(changeInWords({}, "waiting")).toBeUndefined();
    expect(typeInWords("customer.subscription.updated")).toBe("Customer subscription updated");
  });

  it("waits again after a replay, with the records that it names and without its outcome", () => {
    const changes = [{ type: "invoices", id: "in_1", written: false }];
    const failed = delivery({ status: "failed", error: "Why", attempts: 10, changes });
    expect(waitingAgain(failed)).toEqual(delivery({ status: "waiting", changes: [{ type: "invoices", id: "in_1" }] }));
  });

  it("is chosen by a status that exists", () => {
    expect(Object.keys(statuses).every(isStatus)).toBe(true);
    expect(["forged", "toString", undefined].some(isStatus)).toBe(false);
  });
});

describe("a record of the provider", () => {
  const item = { quantity: 2, unitAmount: 1_000, interval: "month", priceId: "price_1" };

  it.each([
    [item, "2 × €10.00 per month"],
    [{ ...item, quantity: 1 }, "€10.00 per month"],
    [{ ...item, quantity: null, interval: null }, "€10.00"],
    [{ ...item, unitAmount: null }, "2 × price_1 per month"],
    [{ ...item, unitAmount: null, priceId: null }, "2 × no price per month"],
  ])("has the item %j in words", (of, expected) => {
    expect(plain(itemInWords(of as Parameters<typeof itemInWords>[0], "eur"))).toBe(expected);
  });

  it.each([
    [{ type: "customers", name: "Ada", email: "a@example.com" }, "Ada"],
    [{ type: "customers", name: null, email: "a@example.com" }, "a@example.com"],
    [{ type: "customers", name: null, email: null }, undefined],
    [{ type: "invoices", number: "A-1" }, "A-1"],
    [{ type: "payments", amount: 50, currency: "usd" }, "$0.50"],
    [{ type: "payments", amount: null, currency: null }, undefined],
    [{ type: "subscriptions", items: [], currency: "eur" }, undefined],
    [{ type: "subscriptions", items: [item, item], currency: "eur" }, "2 × €10.00 per month, 2 × €10.00 per month"],
  ])("%j is named %j", (record, expected) => {
    expect(plain(nameOf(record as unknown as ProviderRecord))).toBe(expected);
  });

  it("has the colour of its status, and no colour for words of later versions", () => {
    expect(["active", "past_due", "open", "draft", "toString"].map(toneOf)).toEqual([
      "good",
      "bad",
      "warn",
      "quiet",
      "quiet",
    ]);
  });

  it("has an address of its own", () => {
    expect(recordTypes.map((type) => recordAddress(type, "a/b"))).toEqual([
      "/console/customers/a%2Fb",
      "/console/records/subscriptions/a%2Fb",
      "/console/records/invoices/a%2Fb",
      "/console/records/payments/a%2Fb",
      "/console/records/refunds/a%2Fb",
      "/console/records/disputes/a%2Fb",
      "/console/records/payouts/a%2Fb",
    ]);
    expect(recordTypes).toEqual(Object.keys(typeNames));
  });
});
