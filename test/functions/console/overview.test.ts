import { describe, expect, it } from "@jest/globals";
import type {
  Alert,
  AlertCounts,
  Connection,
  Destination,
  OrganizationStats,
  SecurityEvent,
  Settings,
  SyncRun,
} from "../../../functions/console/app/api/types.ts";
import { attentionOf, isFirstRun, verdictOf } from "../../../functions/console/app/views/overview/attention.ts";
import { firstSteps, isNewOrganization } from "../../../functions/console/app/views/overview/first-steps.ts";
import type { Known } from "../../../functions/console/app/views/overview/known.ts";
import {
  gravestOf,
  JUDGED_AT_MINUTE,
  nextJudgement,
  REFUSED_CONNECT,
} from "../../../functions/console/app/views/overview/open-alerts.ts";
import {
  compared,
  comparedShare,
  hasEarlierData,
  isKept,
  numbersOf,
  periodOf,
} from "../../../functions/console/app/views/overview/periods.ts";
import { columnsOf } from "../../../functions/console/app/words/intervals.ts";
import { backgroundFunctions } from "../../../shared/api/background-functions.ts";
import { titleOfEvent } from "../../../shared/security/alerts/event-title.ts";

const NOW = Date.UTC(2026, 10, 22, 12, 0, 0);
const HOUR = 60 * 60_000;

const connection: Connection = {
  status: "connected",
  provider: { name: "Provider", apiKeysUrl: "https://example.com", webhooksUrl: "https://example.com" },
  connectedAt: NOW - 24 * HOUR,
  lastSyncAt: NOW - HOUR,
  syncIntervalHours: 4,
};
const circuit = { state: "closed", forced: false, until: null } as OrganizationStats;
const run = { status: "succeeded", startedAt: NOW - HOUR, finishedAt: NOW - HOUR } as SyncRun;
const none = { LOW: 0, MEDIUM: 0, HIGH: 0, CRITICAL: 0 };
const alertCounts: AlertCounts = { open: none, acknowledged: none, partial: false };
const well: Known = { connection, circuit, runs: [run], failedWebhooks: { items: [], next: undefined }, alertCounts };
const failed = { ...run, status: "failed", error: { category: "provider", message: "" } } as SyncRun;
const delivery = { id: "evt_1" } as NonNullable<Known["failedWebhooks"]>["items"][number];

const links = (known: Known) => attentionOf(known, NOW).map(({ action }) => action.href);

describe("what needs attention", () => {
  it("is nothing if all is well, also while acknowledged and low alerts wait", () => {
    const counts = { ...alertCounts, open: { ...none, LOW: 3 }, acknowledged: { ...none, CRITICAL: 1 } };
    expect(attentionOf({ ...well, alertCounts: counts }, NOW)).toEqual([]);
    expect(verdictOf([], { isComplete: true })).toMatchObject({
      tone: "good",
      text: expect.stringContaining("All is well"),
    });
    expect(verdictOf([], { isComplete: false })).toMatchObject({ tone: "quiet" });
  });

  it("is in order of urgency, each with its link", () => {
    const known: Known = {
      connection: { ...connection, lastSyncAt: NOW - 9 * HOUR },
      circuit: { ...circuit, state: "half_open" },
      runs: [{ ...run, status: "running" }, failed, run],
      failedWebhooks: { items: [delivery, delivery], next: "more" },
      alertCounts: { ...alertCounts, open: { ...none, MEDIUM: 1, HIGH: 2, CRITICAL: 1 } },
    };
    expect(links(known)).toEqual([
      "/console/alerts?status=open&level=CRITICAL",
      "/console/alerts?status=open&level=HIGH",
      "/console/syncs",
      "/console/circuit-breaker",
      "/console/alerts?status=open&level=MEDIUM",
      "/console/syncs",
      "/console/webhooks?status=failed",
    ]);
    const needs = attentionOf(known, NOW);
    expect(verdictOf(needs, { isComplete: true })).toEqual({
      tone: "bad",
      word: "Not well",
      text: "1 critical alert is open. 6 more things need attention.",
    });
    expect(needs.at(-1)?.text).toBe("At least 2 deliveries of webhooks failed and can be replayed.");
    expect(needs.at(2)?.text).toBe("The last sync failed 1 hour ago: the provider failed.");
  });

  it.each([
    [
      "a connection that ended",
      { connection: { ...connection, status: "needs_reconnect" } },
      "bad",
      "/console/connection",
    ],
    ["an open circuit", { circuit: { ...circuit, state: "open" } }, "bad", "/console/circuit-breaker"],
    [
      "a stopped integration",
      { circuit: { ...circuit, state: "open", forced: true } },
      "bad",
      "/console/circuit-breaker",
    ],
    ["a circuit held closed", { circuit: { ...circuit, forced: true } }, "warn", "/console/circuit-breaker"],
    [
      "a disconnected account",
      { connection: { ...connection, status: "disconnected" } },
      "warn",
      "/console/connection",
    ],
    ["silence", { connection: { ...connection, lastSyncAt: NOW - 8 * HOUR - 1 } }, "warn", "/console/syncs"],
  ] as [string, Known, string, string][])("is %s", (_, changes, tone, href) => {
    const needs = attentionOf({ ...well, ...changes }, NOW);
    expect(needs).toEqual([expect.objectContaining({ tone, action: expect.objectContaining({ href }) })]);
  });

  it("is each destination that a change has silenced, for the week that is read", () => {
    const silencings = ["SOC", "On call", "SOC"].map((destinationName) => ({ metadata: { destinationName } }));
    expect(attentionOf({ ...well, silencings }, NOW)).toMatchObject([
      { tone: "warn", text: expect.stringContaining("In the last 7 days, SOC, On call are paused") },
    ]);
    for (const none of [null, undefined, []]) expect(attentionOf({ ...well, silencings: none }, NOW)).toEqual([]);
  });

  it("is not said to be nothing to a role that does not see alerts", () => {
    const { word, text } = verdictOf([], { isComplete: true, blindRole: "billing" });
    expect(`${word}: ${text}`).not.toMatch(/all is well/i);
    expect(text).toContain("The role billing may not see alerts");
  });

  it("quotes the gravest alert of each level: what happened, to whom, from where, how often", () => {
    const denied = (id: string, user: string, more: Partial<Alert>) =>
      ({
        id,
        title: "A call without the needed permission was refused",
        level: "HIGH",
        rule: "event_threshold",
        subject: `PERMISSION_DENIED user:${user}`,
        count: 1,
        lastSeen: NOW - 5 * 60_000,
        eventIds: [`event of ${user}`],
        ...more,
      }) as Alert;
    const openAlerts = [
      denied("1", "bob", { count: 2 }),
      denied("2", "mallory", { count: 3, lastSeen: NOW - 60_000 }),
      denied("3", "eve", { level: "CRITICAL" }),
    ];
    const newestEvent = { id: "event of eve", userId: "eve", ipAddress: "192.0.2.7" } as SecurityEvent;
    const known = {
      ...well,
      alertCounts: { ...alertCounts, open: { ...none, HIGH: 2, CRITICAL: 1 } },
      openAlerts,
      newestEvent,
    };
    expect(gravestOf(openAlerts)?.id).toBe("3");
    const [critical, high, ...others] = attentionOf(known, NOW);
    expect(critical).toMatchObject({
      what: "A call without the needed permission was refused",
      text: "User eve, address 192.0.2.7, 5 minutes ago.",
      action: { href: "/console/alerts/3" },
    });
    expect(high).toMatchObject({
      what: "A call without the needed permission was refused ×5",
      text: "User mallory and 1 other, 1 minute ago.",
      action: { href: "/console/alerts?status=open&level=HIGH" },
    });
    expect(others).toEqual([]);
  });

  it("is no mistyped key of an organization that was never connected, unless there are many", () => {
    const refusal = (count: number) => ({
      id: "1",
      title: REFUSED_CONNECT,
      level: "HIGH" as const,
      rule: "event_threshold",
      subject: "PROVIDER_REQUEST user:ada",
      count,
      lastSeen: NOW,
      eventIds: [],
    });
    const metadata = { errorCategory: "authentication" };
    expect(titleOfEvent({ eventType: "PROVIDER_REQUEST", source: "user", success: false, metadata })).toBe(
      REFUSED_CONNECT,
    );
    const never = { ...well, connection: { ...connection, status: "disconnected" as const }, runs: [] };
    const of = (count: number) => ({
      ...never,
      alertCounts: { ...alertCounts, open: { ...none, HIGH: 1 } },
      openAlerts: [refusal(count) as unknown as Alert],
    });
    expect(links(of(4))).toEqual(["/console/connection"]);
    expect([isFirstRun(of(4)), isFirstRun(of(5))]).toEqual([true, false]);
    expect(links(of(5))[0]).toBe("/console/alerts/1");
    expect(links({ ...of(1), connection })).toEqual(["/console/alerts/1"]);
  });

  it("says when detection judges next", () => {
    const { triggers } = backgroundFunctions["dispatch-detection"];
    expect(triggers).toContainEqual({ hourlyAtMinute: JUDGED_AT_MINUTE });
    const minutes = [0, 5, 6, 7].map((minute) => (nextJudgement(NOW + minute * 60_000) - NOW) / 60_000);
    expect(minutes).toEqual([6, 6, 66, 66]);
  });

  it("is no silence while the circuit is open, and no failed sync of an account that is gone", () => {
    const silent = { ...connection, lastSyncAt: NOW - 99 * HOUR };
    expect(links({ ...well, connection: silent, circuit: { ...circuit, state: "open" } })).toEqual([
      "/console/circuit-breaker",
    ]);
    expect(links({ ...well, connection: { ...silent, status: "disconnected" }, runs: [failed] })).toEqual([
      "/console/connection",
    ]);
  });

  it("is the first connection only before anything has happened", () => {
    const first: Known = { ...well, connection: { ...connection, status: "disconnected" }, runs: [] };
    expect(isFirstRun(first)).toBe(true);
    expect(isFirstRun({ ...first, alertCounts: undefined })).toBe(true);
    expect(isFirstRun({ ...first, runs: [run] })).toBe(false);
    expect(isFirstRun({ ...first, runs: undefined })).toBe(false);
    expect(isFirstRun({ ...first, circuit: { ...circuit, state: "open", forced: true } })).toBe(false);
    expect(isFirstRun({ ...first, alertCounts: { ...alertCounts, open: { ...none, HIGH: 1 } } })).toBe(false);
    expect(isFirstRun(well)).toBe(false);
  });
});

describe("the first steps", () => {
  const setUp = {
    connection: { ...connection, status: "disconnected" as const },
    deliveries: [],
    destinations: [],
    settings: { ipAllowlist: [] } as unknown as Settings,
    events: [{ userId: "ada", success: true }, { success: true }],
    userId: "ada",
  };
  const done = (changes: Partial<Parameters<typeof firstSteps>[0]>) =>
    firstSteps({ ...setUp, ...changes })?.map(({ isDone }) => isDone);

  it("are each done by what the organization has", () => {
    expect(done({})).toEqual([false, false, false, false, false]);
    expect(done({ connection })).toEqual([true, false, false, false, false]);
    const webhookSetup = { endpointId: "we_1", eventTypes: [], keyPermissions: [] };
    expect(done({ connection: { ...connection, webhookSetup } })?.[1]).toBe(true);
    expect(done({ connection: { ...connection, method: "oauth" } })?.[1]).toBe(true);
    expect(done({ deliveries: [delivery] })?.[1]).toBe(true);
    const destination = { status: "active" } as Destination;
    expect(done({ destinations: [destination] })?.[2]).toBe(true);
    expect(done({ destinations: [{ ...destination, status: "unconfirmed" }] })?.[2]).toBe(false);
    expect(done({ settings: { ipAllowlist: ["192.0.2.0/24"] } as Settings })?.[3]).toBe(true);
    expect(done({ events: [{ userId: "bob", success: true }] })?.[4]).toBe(true);
    expect(done({ events: [{ userId: "mallory", success: false }] })?.[4]).toBe(false);
    expect(done({ events: undefined })).toBeUndefined();
  });

  it("are of the first month", () => {
    expect([undefined, NOW - 29 * 24 * HOUR, NOW - 31 * 24 * HOUR].map(isNew)).toEqual([true, true, false]);
  });
  const isNew = (connectedAt: number | undefined) =>
    isNewOrganization(connectedAt === undefined ? {} : { connectedAt }, NOW);
});

describe("a period of the overview", () => {
  it("comes from the address", () => {
    expect([undefined, "7d", "90d", "1y", "toString"].map(periodOf)).toEqual(["24h", "7d", "90d", "24h", "24h"]);
  });

  it("has a period before only if its events are kept", () => {
    expect((["24h", "7d", "90d"] as const).map((period) => hasEarlierData(period, 90))).toEqual([true, true, false]);
    expect(hasEarlierData("90d", 180)).toBe(true);
    expect(hasEarlierData("7d", 10)).toBe(false);
    expect([isKept("90d", 90), isKept("90d", 30)]).toEqual([true, false]);
  });

  it.each([
    [12, undefined, undefined],
    [12, 10, "+2, more than in the period before (10)"],
    [10, 1_012, "−1,002, less than in the period before (1,012)"],
    [10, 10, "About the same as in the period before (10)"],
  ])("compares %j with %j", (value, before, text) => {
    expect(compared(value, before, { format: (number) => number.toLocaleString("en") })).toBe(text);
  });

  it.each([
    [0.125, 0.1, "+2.5 points, more than in the period before (10%)"],
    [0, 1, "−100 points, less than in the period before (100%)"],
    [0.10001, 0.1, "About the same as in the period before (10%)"],
  ])("compares the share %d with %d", (value, before, text) => {
    expect(comparedShare(value, before)).toBe(text);
  });

  it("has numbers that are compared only with what is known", () => {
    const stats = { totalEvents: 12, failureRate: 0.125, highRiskEvents: 3, avgResponseTime: 340 };
    const changes = (...args: Parameters<typeof numbersOf>) => numbersOf(...args).map(({ change }) => change);
    expect(numbersOf(stats, undefined, true).map(({ name, value }) => `${name}: ${value}`)).toEqual([
      "Events: 12",
      "Failed: 12.5%",
      "Of high risk: 3",
      expect.stringMatching(/^Mean response: 340\s?ms$/),
    ]);
    expect(changes(stats, undefined, true)).toEqual(Array(4).fill(undefined));
    expect(changes(stats, undefined, false)).toEqual(Array(4).fill("No earlier data"));
    expect(changes(stats, { ...stats, totalEvents: 0 }, true)).toEqual(Array(4).fill("No events in the period before"));
    expect(changes(stats, { ...stats, avgResponseTime: 0 }, true)[3]).toBe("No times in the period before");
    expect(changes(stats, { ...stats, totalEvents: 10 }, true)[0]).toBe("+2, more than in the period before (10)");
  });

  it("names its first and its last column as incomplete", () => {
    const interval = { totalEvents: 3, failures: 1, highRiskEvents: 0, avgResponseTime: 0 };
    const days = [20, 21, 22].map((day) => ({ ...interval, from: Date.UTC(2026, 10, day) }));
    const columns = columnsOf(days, "day", NOW);
    expect(columns.map(({ name }) => name)).toEqual(["Nov 20 (UTC), in part", "Nov 21 (UTC)", "Nov 22 (UTC), in part"]);
    expect(columns[1]).toMatchObject({ label: "Nov 21", total: 3, bad: 1 });
  });
});
