import { describe, expect, it } from "@jest/globals";
import { buildComplianceReport } from "../../../shared/reports/build-compliance-report.ts";
import { MAX_REPORT_BYTES } from "../../../shared/reports/build-report.ts";
import { changeOf, createDayCounter } from "../../../shared/reports/count-day.ts";
import { complianceContent } from "../../../shared/reports/html/compliance-page.ts";
import { periodOf } from "../../../shared/reports/period.ts";
import { Report } from "../../../shared/reports/report.ts";
import { textOf } from "../../../shared/runtime/markup.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/terms/hours.ts";
import { depth } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { arbitraryEvents, NOW } from "../../support/security-events.ts";
import {
  alertAt,
  badTokenAt,
  circuitChangeAt,
  comparedRunAt,
  complianceInput,
  denialAt,
  eventAt,
  muteAt,
  readAt,
  runAt,
  SATURDAY,
  sampleCompliance,
} from "./samples.ts";

const dayOf = (events: readonly SecurityEvent[], from = SATURDAY) => {
  const counter = createDayCounter(from);
  for (const event of events) counter.add(event);
  return counter.result();
};
const reportOn = (events: readonly SecurityEvent[]) => sampleCompliance({ day: dayOf(events) });

describe("access by user", () => {
  it("counts the calls, the reads by kind and the refusals of each user", () => {
    const { access } = reportOn([
      readAt(SATURDAY, "ada", "invoices"),
      readAt(SATURDAY + 1, "ada", "invoices"),
      readAt(SATURDAY + 2, "ada", "settings"),
      denialAt(SATURDAY + 3, "bob"),
      badTokenAt(SATURDAY + 4, { userId: "bob" }),
      denialAt(SATURDAY + 5, "ada"),
      // A count of a flood.
      { ...denialAt(SATURDAY + 6, "eve"), metadata: { permission: "plants:write", failures: 40, users: 1 } },
    ]);
    expect(access).toEqual({
      calls: 7,
      refusals: 43,
      users: [
        { userId: "eve", calls: 1, reads: {}, refusals: 40 },
        { userId: "bob", calls: 2, reads: {}, refusals: 2 },
        { userId: "ada", calls: 4, reads: { invoices: 2, settings: 1 }, refusals: 1 },
      ],
      moreUsers: 0,
      withoutUser: { calls: 0, refusals: 0 },
    });
  });

  it("counts the failures of a counting event without a user", () => {
    const { access } = reportOn([
      badTokenAt(SATURDAY),
      badTokenAt(SATURDAY + 1, { metadata: { failures: 95, users: 3, isLowerBound: true } }),
    ]);
    expect(access).toMatchObject({ refusals: 96, users: [], withoutUser: { calls: 2, refusals: 96 } });
  });

  it("leaves out events that are not calls: schedules, webhooks and the provider's refusals", () => {
    const { access } = reportOn([
      eventAt(SATURDAY),
      badTokenAt(SATURDAY, { source: "webhook" }),
      denialAt(SATURDAY, "ada"),
      { ...denialAt(SATURDAY, "ada"), metadata: { attempts: 1 } },
    ]);
    expect(access).toMatchObject({ calls: 1, refusals: 1 });
  });

  it("accepts a user id that is the name of an object's built-in property", () => {
    const { access } = reportOn([readAt(SATURDAY, "__proto__", "constructor"), denialAt(SATURDAY, "toString")]);
    expect(access.users.map(({ userId, calls }) => [userId, calls])).toEqual([
      ["toString", 1],
      ["__proto__", 1],
    ]);
    expect(Object.entries(access.users[1]?.reads ?? {})).toEqual([["constructor", 1]]);
  });
});

describe("events of a day", () => {
  it("have the same counts in any order, and the counts add up", () => {
    const from = Math.floor(NOW / DAY_MS) * DAY_MS;
    fc.assert(
      fc.property(
        arbitraryEvents("acme", NOW - from, { maxLength: 40 }).chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length })),
        ),
        ([events, shuffled]) => {
          const input = { period: { kind: "compliance" as const, from, to: from + DAY_MS } };
          const rest = { ...complianceInput(), ...input };
          const [one, other] = [events, shuffled].map((some) =>
            buildComplianceReport({ ...rest, day: dayOf(some, from) }),
          );
          expect(other).toEqual(one);
          expect(one?.events.total).toBe(events.length);
          expect(one?.events.hours.reduce((sum, hour) => sum + hour.events, 0)).toBe(events.length);
          const ofUsers = one?.access.users.reduce((sum, { calls }) => sum + calls, 0) ?? 0;
          expect(ofUsers + (one?.access.withoutUser.calls ?? 0)).toBe(one?.access.calls);
        },
      ),
      { numRuns: depth(20, 100) },
    );
  });

  it("belong to their hour, up to the last millisecond", () => {
    const { hours } = dayOf([eventAt(SATURDAY), eventAt(SATURDAY + DAY_MS - 1, { success: false })]).events;
    expect(hours[0]).toEqual({ events: 1, failures: 0 });
    expect(hours[23]).toEqual({ events: 1, failures: 1 });
  });
});

describe("destinations and exports", () => {
  const said = { source: "user", success: true, userId: "ada" } as const;
  const report = reportOn([
    eventAt(SATURDAY, {
      ...said,
      eventType: "NOTIFICATIONS_CHANGED",
      action: "create_destination",
      metadata: { requestId: "r", destinationType: "webhook", destinationName: "Ops" },
    }),
    eventAt(SATURDAY + 1, {
      source: "system",
      success: false,
      eventType: "NOTIFICATIONS_PAUSED",
      action: "pause_destination",
      metadata: { destinationType: "webhook", destinationName: "Ops", reason: "failing" },
    }),
    eventAt(SATURDAY + 2, {
      ...said,
      eventType: "EXPORT_REQUESTED",
      action: "request_events_export",
      metadata: { exportId: "e", kind: "events", format: "csv" },
    }),
    eventAt(SATURDAY + 3, {
      source: "system",
      success: true,
      eventType: "EXPORT_COMPLETED",
      action: "complete_events_export",
      metadata: { exportId: "e", kind: "events", format: "csv", items: 7 },
    }),
  ]);

  it("are listed as changes: what, who and why", () => {
    expect(report.changes).toMatchObject([
      { area: "notifications", what: "create_destination", who: "ada", details: "webhook Ops" },
      { area: "notifications", what: "pause_destination", why: "failing", details: "webhook Ops" },
      { area: "exports", what: "request_events_export", who: "ada", details: "events, csv" },
      { area: "exports", what: "complete_events_export", details: "events, csv, 7 entries" },
    ]);
  });

  it("are counted, and a paused destination is a problem of the day", () => {
    expect(report.exports).toEqual({ requested: 1, completed: 1 });
    const page = complianceContent(report).map(textOf).join("");
    expect(page).toContain("1 destination was paused and gets no alerts: mend or delete it.");
    expect(page).toContain("1 export was requested, 1 completed.");
  });

  it("may be missing in a report from before", () => {
    const { exports: _, ...before } = report;
    expect(Report.parse(before)).toEqual(before);
  });
});

describe("changes", () => {
  it("name the action, the user, the reason and the time", () => {
    const forced = circuitChangeAt(
      SATURDAY,
      { generation: 2, from: "closed", to: "forced_open", cause: "force_open", reason: "maintenance" },
      { source: "user", userId: "grace", action: "force_open" },
    );
    expect(changeOf(forced)).toEqual({
      at: SATURDAY,
      area: "circuit_breaker",
      what: "force_open",
      who: "grace",
      why: "maintenance",
      details: "closed → forced open",
      source: "user",
      eventId: forced.id,
    });
  });

  it("name the cause if no user acted, and no reason if an operator gave none", () => {
    const facts = { generation: 2, from: "closed", to: "open", cause: "failures" };
    expect(changeOf(circuitChangeAt(SATURDAY, facts))).toMatchObject({ why: "failures" });
    expect(changeOf(circuitChangeAt(SATURDAY, facts, { source: "user", userId: "ada" }))).not.toHaveProperty("why");
  });

  it("show which settings were added and removed", () => {
    const change = changeOf(
      eventAt(SATURDAY, {
        eventType: "SETTINGS_CHANGED",
        userId: "ada",
        source: "user",
        action: "change_settings",
        metadata: {
          requestId: "r",
          ipAllowlist: { added: ["10.0.0.0/8"], removed: [] },
          "recordAccess.guest": { from: ["invoices"], to: [] },
        },
      }),
    );
    expect(change).toMatchObject({
      area: "settings",
      who: "ada",
      details: "ipAllowlist: added 10.0.0.0/8; removed none; recordAccess.guest: invoices → none",
    });
  });

  it("include connections that were made, ended or rejected by the provider", () => {
    const connection = { metadata: { method: "api_key", reason: "deauthorized" }, resource: "acct_1" };
    const removed = eventAt(SATURDAY, { eventType: "PROVIDER_CONNECTION_REMOVED", source: "webhook", ...connection });
    expect(changeOf(removed)).toMatchObject({
      area: "connection",
      why: "deauthorized",
      details: "account acct_1, by API key",
      source: "webhook",
    });
    expect(changeOf(badTokenAt(SATURDAY, { action: "require_reconnect", errorMessage: "x" }))).toMatchObject({
      area: "connection",
      what: "require_reconnect",
      why: "x",
    });
    expect(changeOf(badTokenAt(SATURDAY))).toBeUndefined();
  });

  it("keep long texts, in which an erasure must find a user, and accept metadata of any shape", () => {
    const long = changeOf(
      circuitChangeAt(SATURDAY, {
        generation: 1,
        from: "a",
        to: "b",
        cause: "reset",
        reason: `${"x".repeat(495)} user-of-an-erasure`,
      }),
    );
    expect(long?.why).toMatch(/ user-of-an-erasure$/);
    for (const metadata of [undefined, null, 7, "x", [], { from: 1 }]) {
      expect(changeOf(eventAt(SATURDAY, { eventType: "CIRCUIT_BREAKER_CHANGED", metadata }))?.area).toBe(
        "circuit_breaker",
      );
      expect(changeOf(eventAt(SATURDAY, { eventType: "SETTINGS_CHANGED", metadata }))?.area).toBe("settings");
    }
  });
});

describe("alerts", () => {
  const at = (alerts: Parameters<typeof complianceInput>[0]) => sampleCompliance(alerts).alerts;

  it("show how long each waited, and the median of the day", () => {
    const raised = (minutes: number | undefined) =>
      alertAt(SATURDAY + HOUR_MS, {
        subject: `user:${minutes}`,
        ...(minutes !== undefined && {
          status: "acknowledged" as const,
          acknowledgedAt: SATURDAY + HOUR_MS + minutes * MINUTE_MS,
        }),
      });
    const alerts = at({ alerts: [raised(10), raised(30), raised(undefined), raised(20)] });
    expect(alerts).toMatchObject({ raised: 4, acknowledged: 3, medianTimeToAcknowledgeMs: 20 * MINUTE_MS });
    expect(at({ alerts: [raised(10), raised(30)] }).medianTimeToAcknowledgeMs).toBe(20 * MINUTE_MS);
    expect(at({ alerts: [raised(undefined)] })).not.toHaveProperty("medianTimeToAcknowledgeMs");
  });

  it("count each wait once: in the report of the day on which the alert was answered", () => {
    const answered = { acknowledgedAt: SATURDAY + HOUR_MS, resolvedAt: SATURDAY + DAY_MS, status: "resolved" as const };
    const older = alertAt(SATURDAY - 2 * HOUR_MS, { subject: "user:a", ...answered });
    const later = alertAt(SATURDAY + HOUR_MS, {
      subject: "user:b",
      status: "resolved" as const,
      resolvedAt: SATURDAY + DAY_MS + MINUTE_MS,
    });
    expect(at({ alerts: [older, later] })).toMatchObject({
      raised: 1,
      acknowledged: 1,
      medianTimeToAcknowledgeMs: 3 * HOUR_MS,
    });
    const next = { period: periodOf("compliance", SATURDAY + DAY_MS), alerts: [older, later] };
    expect(at(next)).toMatchObject({ raised: 0, medianTimeToAcknowledgeMs: 23 * HOUR_MS + MINUTE_MS });
  });

  it("say who looks after each, and how often operators commented on it", () => {
    const [alert] = at({ alerts: [alertAt(SATURDAY, { assignee: "grace", comments: 2 })] }).list;
    expect(alert).toMatchObject({ assignee: "grace", comments: 2 });
    const [other] = at({ alerts: [alertAt(SATURDAY)] }).list;
    for (const name of ["assignee", "comments"]) expect(other).not.toHaveProperty(name);
  });

  it("count those that were resolved on the day, by cause", () => {
    const resolvedAt = SATURDAY + HOUR_MS;
    const resolved = (fields: object) => alertAt(SATURDAY - DAY_MS, { status: "resolved", resolvedAt, ...fields });
    const { resolvedByCause, list } = at({
      alerts: [
        resolved({ cause: "false_alarm" }),
        resolved({ cause: "false_alarm" }),
        resolved({ cause: "test" }),
        resolved({}),
        resolved({ cause: "true_alarm", resolvedAt: SATURDAY - 1 }),
        alertAt(SATURDAY),
      ],
    });
    expect(resolvedByCause).toEqual({ true_alarm: 0, false_alarm: 2, test: 1, none: 1 });
    expect(list.map(({ cause }) => cause).sort()).toEqual(["false_alarm", "false_alarm", "test", undefined, undefined]);
  });

  it("count the wait of a reopened alert from when it was opened again", () => {
    const acknowledgedAt = SATURDAY + 2 * HOUR_MS;
    const alert = alertAt(SATURDAY - DAY_MS, {
      status: "acknowledged",
      acknowledgedAt,
      reopenedAt: SATURDAY + HOUR_MS,
    });
    expect(at({ alerts: [alert] }).medianTimeToAcknowledgeMs).toBe(HOUR_MS);
  });

  it("include those of the day, and older ones that are open or were answered on the day", () => {
    const before = SATURDAY - DAY_MS;
    const { list, raised } = at({
      alerts: [
        alertAt(SATURDAY, { title: "of the day" }),
        alertAt(before, { title: "open" }),
        alertAt(before, { title: "answered on the day", status: "resolved", resolvedAt: SATURDAY + 1 }),
        alertAt(before, { title: "answered before", status: "resolved", resolvedAt: SATURDAY - 1 }),
        alertAt(before, { title: "assigned on the day", status: "acknowledged", assignedAt: SATURDAY + 1 }),
        alertAt(before, { title: "commented on the day", status: "acknowledged", commentedAt: SATURDAY + 1 }),
        alertAt(before, { title: "commented before", status: "acknowledged", commentedAt: SATURDAY - 1 }),
        alertAt(SATURDAY + DAY_MS, { title: "of the next day" }),
      ],
    });
    expect(raised).toBe(1);
    expect(list.map(({ title }) => title).sort()).toEqual([
      "answered on the day",
      "assigned on the day",
      "commented on the day",
      "of the day",
      "open",
    ]);
  });

  it("leave addresses out", () => {
    const { list } = at({
      alerts: [
        alertAt(SATURDAY, { subject: "address:203.0.113.9" }),
        alertAt(SATURDAY, { subject: "AUTHENTICATION_FAILURE address:203.0.113.9" }),
      ],
    });
    expect(JSON.stringify(list)).not.toContain("203.0.113.9");
  });
});

describe("the other sections of a day", () => {
  it("count runs by their result, and show the last comparison", () => {
    const { sync } = sampleCompliance({
      runs: [
        runAt(SATURDAY),
        runAt(SATURDAY, { status: "failed", error: { category: "network", message: "no answer" } }),
        runAt(SATURDAY, { status: "cancelled" }),
        runAt(SATURDAY, { status: "running" }),
      ],
      comparedRun: comparedRunAt(SATURDAY - DAY_MS),
    });
    expect(sync).toMatchObject({ runs: 4, succeeded: 1, failed: 1, cancelled: 1, running: 1, written: 16 });
    expect(sync.failures).toMatchObject([{ category: "network", message: "no answer" }]);
    expect(sync.completeness).toMatchObject({ isComplete: false, at: SATURDAY - DAY_MS + 9_000 });
    expect(sync.completeness?.types[2]).toEqual({
      type: "invoices",
      listed: 14_310,
      stored: 14_309,
      onlyListed: 1,
      onlyStored: 0,
    });
  });

  it("report that retention is held if expired events are removed within two days", () => {
    const { to } = complianceInput().period;
    const held = (expiresAt: number) => sampleCompliance({ oldestEvent: { timestamp: 0, expiresAt } }).retention.isHeld;
    expect([held(to - 2 * DAY_MS + 1), held(to - 2 * DAY_MS)]).toEqual([true, false]);
    expect(sampleCompliance({ oldestEvent: undefined }).retention).toEqual({ days: 90, isHeld: true });
  });

  it("show erasures that were open at the day's end, with whole days left", () => {
    const { to } = complianceInput().period;
    const erasure = (id: string, requestedAt: number, completedAt?: number) => ({
      id,
      status: "running",
      requestedAt,
      dueAt: requestedAt + 30 * DAY_MS,
      ...(completedAt !== undefined && { completedAt }),
    });
    const { erasures } = sampleCompliance({
      erasures: [
        erasure("new", to - 1),
        erasure("old", to - 31 * DAY_MS),
        erasure("done", to - DAY_MS, to - 1),
        erasure("done since", to - 2 * DAY_MS, to),
        erasure("of the next day", to),
      ],
    });
    expect(erasures.map(({ id, daysLeft }) => [id, daysLeft])).toEqual([
      ["old", -1],
      ["done since", 28],
      ["new", 29],
    ]);
  });

  it("name the mutes that acted on the day, and the rules that are off, in the page too", () => {
    const { from, to } = complianceInput().period;
    const weekly = { from: "22:00", to: "06:00", timeZone: "UTC" };
    const nights = { from: from - DAY_MS, until: to + 30 * DAY_MS };
    const report = sampleCompliance({
      rulesOff: ["system_errors"],
      mutes: [
        muteAt(to),
        muteAt(to - 1, { rules: undefined, levels: ["LOW"] }),
        muteAt(from, { ...nights, weekly: { ...weekly, days: ["friday"] } }),
        muteAt(from, { ...nights, weekly: { ...weekly, days: ["sunday"] } }),
        muteAt(from - HOUR_MS, { endedAt: from, until: to }),
        muteAt(from - HOUR_MS, { endedAt: from + 1, until: to, subject: "address:203.0.113.9" }),
        muteAt(from - 2 * HOUR_MS),
      ],
    });
    expect(report).toMatchObject({ rulesOff: ["system_errors"], moreMutes: 0 });
    const common = { who: "ada", why: "The provider is down for maintenance", hiddenAlerts: 3 };
    const below = ["LOW", "MEDIUM", "HIGH"];
    const rules = ["sync_silence"];
    const id = expect.any(String);
    expect(report.mutes).toEqual([
      { id, levels: ["LOW"], from: to - 1, until: to - 1 + 2 * HOUR_MS, weekly: false, ...common },
      { id, rules, levels: below, from: nights.from, until: nights.until, weekly: true, ...common },
      { id, rules, levels: below, from: from - HOUR_MS, until: from + 1, weekly: false, ...common },
    ]);
    const page = complianceContent(report).map(textOf).join("");
    for (const text of ["3 mutes acted", "1 rule of detection is off", "down for maintenance", "system errors"]) {
      expect(page).toContain(text);
    }
    const none = complianceContent(sampleCompliance({ mutes: [], rulesOff: [] }))
      .map(textOf)
      .join("");
    expect(none).not.toContain("Switched off");
  });

  it("match the schema", () => {
    const report = sampleCompliance();
    expect(Report.parse(report)).toEqual(report);
  });
});

describe("a report that would be too large", () => {
  const users = Array.from({ length: 5_000 }, (_, n) => ({
    userId: `${"€".repeat(120)}${n}`,
    calls: n,
    reads: {},
    refusals: 0,
  }));

  it("shows the users with most refusals first, and counts the others", () => {
    const input = complianceInput();
    const report = buildComplianceReport({ ...input, day: { ...input.day, users } });
    const { users: shown, moreUsers, calls } = report.access;
    expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.length + moreUsers).toBe(5_000);
    expect(shown[0]?.calls).toBe(4_999);
    expect(calls).toBe((5_000 * 4_999) / 2 + input.day.withoutUser.calls);
  });
});
