import { describe, expect, it } from "@jest/globals";
import type { SecurityEvent } from "../../../functions/console/app/api/types.ts";
import { chunksOf, prepend, unknownEvents } from "../../../functions/console/app/views/events/chunks.ts";
import { metadataFacts } from "../../../functions/console/app/views/events/metadata.ts";
import { choosePeriod, keyOf, periodOf, queryOf } from "../../../functions/console/app/views/events/query.ts";
import { chips, liveOf, targetsOf } from "../../../functions/console/app/views/events/selection.ts";
import { curlOf } from "../../../functions/console/app/words/address.ts";
import { inWords } from "../../../functions/console/app/words/format.ts";
import { fromLocalInput, instantOf, toLocalInput } from "../../../functions/console/app/words/local-time.ts";

const NOW = Date.UTC(2026, 10, 22, 12);

describe("the selection of events", () => {
  it("asks for the last 24 hours if the address has no time", () => {
    expect(periodOf({})).toBe("24h");
    expect(periodOf({ period: "constructor" })).toBe("24h");
    expect(queryOf({ live: "on" }, NOW)).toEqual({ since: "2026-11-21T12:00:00.000Z" });
  });

  it("passes filters and times on as the address has them", () => {
    const chosen = { riskLevel: "HIGH", userId: "a b", processed: "false", since: "5", until: "tomorrow", limit: "7" };
    expect(periodOf(chosen)).toBeUndefined();
    expect(queryOf(chosen, NOW)).toEqual({
      riskLevel: "HIGH",
      userId: "a b",
      processed: "false",
      since: "5",
      until: "tomorrow",
    });
  });

  it("replaces times by a period, and leaves the default out of the address", () => {
    expect(choosePeriod("24h")).toEqual({ period: undefined, since: undefined, until: undefined });
    expect(choosePeriod("7d")).toEqual({ period: "7d", since: undefined, until: undefined });
  });

  it("has another key for each selection, and the same one with the live tail", () => {
    expect(keyOf({ userId: "ada", live: "on" })).toBe(keyOf({ userId: "ada" }));
    const keys = [{}, { userId: "ada" }, { ipAddress: "ada" }, { period: "1h" }, { since: "1" }, { until: "1" }].map(
      keyOf,
      liveOf,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("is followed while it has no end and the user wants it", () => {
    expect(liveOf({ live: "on" })).toEqual({ canFollow: true, isLive: true });
    expect(liveOf({})).toEqual({ canFollow: true, isLive: false });
    expect(liveOf({ live: "on", until: "5" })).toEqual({ canFollow: false, isLive: false });
  });

  it("has the selected events as targets of a key, or else the event with the focus", () => {
    expect(targetsOf(new Set(["a", "b"]), "c")).toEqual(["a", "b"]);
    expect([targetsOf(new Set(), "c"), targetsOf(new Set(), undefined)]).toEqual([["c"], []]);
  });

  it("names the chosen filters in words, whatever the case of the value", () => {
    expect(chips({ riskLevel: "high", eventType: "PERMISSION_DENIED", source: "webhook", userId: "" })).toEqual([
      { name: "riskLevel", text: "Level: High" },
      { name: "eventType", text: "Type: Permission denied" },
      { name: "source", text: "Caused by: The provider" },
    ]);
  });

  it("reads and writes local times to the minute", () => {
    const at = new Date(2026, 2, 9, 4, 5).getTime();
    expect(toLocalInput(at)).toBe("2026-03-09T04:05");
    expect(fromLocalInput("2026-03-09T04:05")).toBe(new Date(at).toISOString());
    expect(fromLocalInput("")).toBeUndefined();
    expect(["1700000000000", "2026-11-22T12:00:00Z", "soon", undefined].map(instantOf)).toEqual([
      1_700_000_000_000,
      NOW,
      undefined,
      undefined,
    ]);
  });
});

describe("a request as a curl command", () => {
  it("has the token as a variable, and no character that ends the argument", () => {
    const command = curlOf("https://api.example", "/events", { userId: "'; rm -rf $HOME `id` +1", until: undefined });
    expect(command).toBe(
      `curl --header "Authorization: Bearer $TOKEN" 'https://api.example/events?userId=%27%3B%20rm%20-rf%20%24HOME%20%60id%60%20%2B1'`,
    );
    expect(curlOf("https://api.example", `/events/${encodeURIComponent("it's")}`)).toContain(
      "'https://api.example/events/it%27s'",
    );
  });
});

describe("the metadata of an event as facts", () => {
  const factsOf = (metadata: unknown) =>
    metadataFacts(metadata).map(({ name, value }) => [name, "text" in value ? value.text : value]);

  it("names durations, times, lists and nested values", () => {
    expect(
      factsOf({
        durationMs: 340,
        lastSyncAt: NOW,
        attempts: 2,
        isLowerBound: true,
        requestId: "r",
        at: 5,
        ms: 7,
        previous: null,
        types: ["a", 1],
        changes: { ipAllowlist: [], recordAccess: { member: ["x"] } },
      }),
    ).toEqual([
      ["Duration", { kind: "duration", ms: 340 }],
      ["Last sync at", { kind: "time", at: NOW }],
      ["Attempts", "2"],
      ["Is lower bound", "Yes"],
      ["Request ID", "r"],
      ["At", "5"],
      ["Ms", "7"],
      ["Previous", "–"],
      ["Types", "a, 1"],
      ["Changes › IP allowlist", "–"],
      ["Changes › Record access › Member", "x"],
    ]);
  });

  it("accepts any JSON value, and leaves what is too deep or too long to the JSON text", () => {
    expect([undefined, null, {}].flatMap(factsOf)).toEqual([]);
    expect(factsOf("text")).toEqual([["Value", "text"]]);
    expect(factsOf([1, { a: 2 }])).toEqual([["Value", '1, {"a":2}']]);
    expect(factsOf({ a: { b: { c: { d: { e: 1 } } } } })).toEqual([["A › B › C", '{"d":{"e":1}}']]);
    expect(factsOf({ a: Array.from({ length: 25 }, () => 0) })[0]?.[1]).toMatch(/^0(, 0){19} and 5 more$/);
    expect(factsOf(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`k${i}`, i])))).toHaveLength(60);
  });
});

it("writes names of the API as words", () => {
  const names = ["RATE_LIMIT_EXCEEDED", "data_access", "retryAfter", "requestId", "ipAddress", "eventIds", "OAuth", ""];
  expect(names.map(inWords)).toEqual([
    "Rate limit exceeded",
    "Data access",
    "Retry after",
    "Request ID",
    "IP address",
    "Event IDs",
    "OAuth",
    "",
  ]);
});

describe("the rows of the list", () => {
  const event = (number: number) => ({ id: String(number).padStart(5, "0") }) as SecurityEvent;
  /** Newest first. */
  const events = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => event(from - i));
  const ids = (chunks: readonly (readonly SecurityEvent[])[]) => chunks.flat().map(({ id }) => Number(id));

  it("keeps the chunks of a page", () => {
    const page = events(60, 1);
    expect(chunksOf(page).map(({ length }) => length)).toEqual([25, 25, 10]);
    expect(chunksOf(page)).toBe(chunksOf(page));
  });

  it("adds new events on top, and keeps full chunks", () => {
    const first = prepend([], events(110, 101));
    const second = prepend(first, events(150, 111));
    expect(ids(second)).toEqual(ids([events(150, 101)]));
    expect(second.map(({ length }) => length)).toEqual([25, 25]);
    const third = prepend(second, [event(151)]);
    expect(third.map(({ length }) => length)).toEqual([1, 25, 25]);
    expect(third.slice(1)).toEqual(second);
    expect(third[1]).toBe(second[0]);
    expect(prepend(third, [])).toBe(third);
  });

  it("puts a late event where it belongs among the newest", () => {
    expect(ids(prepend(prepend([], [event(9), event(7)]), [event(8), event(10)]))).toEqual([10, 9, 8, 7]);
  });

  it("finds the events of an answer that are new, and leaves those of later pages out", () => {
    const firstPage = events(20, 11);
    const shown = { firstPage, isOnlyPage: false, later: [events(22, 21)] };
    expect(ids([unknownEvents(events(25, 8), shown)])).toEqual([25, 24, 23]);
    expect(ids([unknownEvents(events(25, 8), { ...shown, isOnlyPage: true })])).toEqual([25, 24, 23, 10, 9, 8]);
    expect(unknownEvents(events(3, 1), { firstPage: [], isOnlyPage: true, later: [] })).toHaveLength(3);
  });
});
