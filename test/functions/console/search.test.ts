/** Where the console shows what a search found, and what is about a user or an address. */
import { describe, expect, it } from "@jest/globals";
import type { SearchResult, SecurityEvent } from "../../../functions/console/app/api/types.ts";
import { kindNames, queryOf, resultAddress } from "../../../functions/console/app/search/result-address.ts";
import {
  countsOf,
  daysSinceFirst,
  firstDayOf,
  isAbout,
} from "../../../functions/console/app/views/callers/caller-facts.ts";
import { SearchResult as Result } from "../../../shared/search/search-result.ts";

const resultKinds = Result.shape.kind.options;
const DAY = 86_400_000;

describe("a result of the search", () => {
  it("has an address for each kind of the API", () => {
    expect(Object.keys(kindNames).sort()).toEqual([...resultKinds].sort());
    const href = "/api/integrations/provider/notifications/D/deliveries";
    const addressOf = (kind: string) => resultAddress({ kind, id: "a b", title: "", href } as SearchResult);
    expect(resultKinds.map(addressOf)).not.toContain("/console/");
    expect(["event", "run", "delivery", "customer", "invoice", "user", "address"].map(addressOf)).toEqual([
      "/console/events/a%20b",
      "/console/syncs?run=a+b",
      "/console/notifications/D",
      "/console/customers/a%20b",
      "/console/records/invoices/a%20b",
      "/console/users/a%20b",
      "/console/addresses/a%20b",
    ]);
    expect(addressOf("toString")).toBe("/console/");
  });

  it.each([
    ["", undefined],
    [" a ", undefined],
    ["🪴", undefined],
    [" ab ", "ab"],
  ])("is looked for by %j as %j", (typed, query) => {
    expect(queryOf(typed)).toBe(query);
  });
});

describe("the page of a user or an address", () => {
  it.each([
    [{ userId: "eve" }, { rule: "policy_violation", subject: "user:eve" }, true],
    [{ userId: "eve" }, { rule: "custom_a", subject: "userId:eve" }, true],
    [
      { userId: "eve" },
      { rule: "policy_violation", subject: "address:192.0.2.7", evidence: { count: 1, users: ["eve"] } },
      true,
    ],
    [{ userId: "eve" }, { rule: "policy_violation", subject: "user:bob" }, false],
    [{ ipAddress: "192.0.2.7" }, { rule: "policy_violation", subject: "address:192.0.2.7" }, true],
    [{ ipAddress: "192.0.2.7" }, { rule: "x", subject: "y", evidence: { count: 1, succeededFrom: "192.0.2.7" } }, true],
    [{ ipAddress: "eve" }, { rule: "policy_violation", subject: "user:eve" }, false],
  ])("of %j: the alert %j is about it: %s", (caller, alert, expected) => {
    expect(isAbout(caller, alert)).toBe(expected);
  });

  it("counts values, the most frequent first, and begins with the first day that has an event", () => {
    const events = ["a", "b", "b", undefined].map((ipAddress) => ({ ipAddress }) as SecurityEvent);
    expect(countsOf(events, ({ ipAddress }) => ipAddress)).toEqual([
      { value: "b", count: 2 },
      { value: "a", count: 1 },
    ]);
    const day = (at: number, totalEvents: number) => ({ from: at * DAY, totalEvents, failures: 0, highRiskEvents: 0 });
    const intervals = [day(1, 0), day(2, 3), day(3, 0)] as unknown as Parameters<typeof daysSinceFirst>[0];
    expect(firstDayOf(intervals)).toBe(2 * DAY);
    expect(daysSinceFirst(intervals)?.map(({ totalEvents }) => totalEvents)).toEqual([3, 0]);
    expect(firstDayOf([])).toBeUndefined();
    expect(daysSinceFirst(undefined)).toEqual([]);
  });
});
