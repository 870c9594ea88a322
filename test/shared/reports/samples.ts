/** Invented input of reports: an organization's day and weeks. Every part can be replaced. */

import type { MuteItem } from "../../../shared/mutes/mute-item.ts";
import { buildComplianceReport, type ComplianceInput } from "../../../shared/reports/build-compliance-report.ts";
import { buildMonthReport, type MonthInput } from "../../../shared/reports/build-month-report.ts";
import { buildReviewReport, type ReviewInput } from "../../../shared/reports/build-review-report.ts";
import { createDayCounter } from "../../../shared/reports/count-day.ts";
import type { ReportedDrill, ReportedIntegrity } from "../../../shared/reports/evidence-fields.ts";
import { periodOf, reportId } from "../../../shared/reports/period.ts";
import type { Alert } from "../../../shared/security/alerts/alert.ts";
import { alertHash, alertId } from "../../../shared/security/alerts/alert-item.ts";
import { eventId, identityOf } from "../../../shared/security/event-id.ts";
import type { SecurityEvent } from "../../../shared/security/security-event.ts";
import type { Counters } from "../../../shared/security/statistics/counters.ts";
import type { SyncRun } from "../../../shared/sync/sync-run.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/terms/hours.ts";
import type { RiskLevel } from "../../../shared/terms/risk-levels.ts";

/** A Saturday, and the Monday of its week. */
export const SATURDAY = Date.UTC(2026, 10, 21);
export const MONDAY = Date.UTC(2026, 10, 16);

let made = 0;

/** An event at a time, by default a LOW one that succeeded. */
export const eventAt = (timestamp: number, fields: Partial<SecurityEvent> = {}): SecurityEvent => ({
  id: eventId(timestamp, identityOf("sample", made++)),
  organizationId: "acme",
  eventType: "PROVIDER_REQUEST",
  category: "integration",
  riskLevel: "LOW",
  source: "system",
  success: true,
  processed: false,
  alertGenerated: false,
  timestamp,
  createdAt: timestamp,
  ...fields,
});

export const readAt = (timestamp: number, userId: string, kind: string): SecurityEvent =>
  eventAt(timestamp, {
    eventType: "DATA_READ",
    category: "data_access",
    source: "user",
    userId,
    action: `read_${kind}`,
  });

export const denialAt = (timestamp: number, userId: string): SecurityEvent =>
  eventAt(timestamp, {
    eventType: "PERMISSION_DENIED",
    category: "authorization",
    riskLevel: "HIGH",
    source: "user",
    userId,
    success: false,
    metadata: { permission: "security:read" },
  });

export const badTokenAt = (timestamp: number, fields: Partial<SecurityEvent> = {}): SecurityEvent =>
  eventAt(timestamp, {
    eventType: "AUTHENTICATION_FAILURE",
    category: "authentication",
    riskLevel: "HIGH",
    source: "user",
    success: false,
    ipAddress: "203.0.113.9",
    ...fields,
  });

export const circuitChangeAt = (
  timestamp: number,
  facts: { generation: number; from: string; to: string; cause: string; reason?: string },
  fields: Partial<SecurityEvent> = {},
): SecurityEvent =>
  eventAt(timestamp, {
    eventType: "CIRCUIT_BREAKER_CHANGED",
    category: "system",
    riskLevel: "HIGH",
    action: "open",
    success: false,
    metadata: facts,
    ...fields,
  });

export const alertAt = (firstSeen: number, fields: Partial<Alert> = {}): Alert => {
  const { rule = "permission_escalation", subject = "user:mallory" } = fields;
  return {
    id: alertId(alertHash("finding", rule, subject), firstSeen, identityOf("alert", made++)),
    title: "A user was denied several permissions",
    level: "HIGH",
    rule,
    subject,
    status: "open",
    count: 1,
    firstSeen,
    lastSeen: firstSeen,
    eventIds: [eventId(firstSeen, identityOf("evidence", made++))],
    revision: 1,
    ...fields,
  };
};

const progressOf = (written: number): SyncRun["progress"] => ({
  customers: { read: 20, written },
  subscriptions: { read: 12, written },
  invoices: { read: 40, written },
  payments: { read: 38, written },
  refunds: { read: 0, written: 0 },
  disputes: { read: 0, written: 0 },
  payouts: { read: 0, written: 0 },
});

export const runAt = (startedAt: number, fields: Partial<SyncRun> = {}): SyncRun => ({
  id: eventId(startedAt, identityOf("run", made++)),
  trigger: "scheduled",
  mode: "incremental",
  status: "succeeded",
  startedAt,
  finishedAt: startedAt + 9_000,
  progress: progressOf(1),
  ...fields,
});

const completeness = (listed: number, missing: string[] = []) => ({
  listed,
  stored: listed - missing.length,
  onlyListed: missing,
  onlyStored: [],
});

export const comparedRunAt = (startedAt: number): SyncRun =>
  runAt(startedAt, {
    mode: "full",
    completeness: {
      customers: completeness(1_204),
      subscriptions: completeness(987),
      invoices: completeness(14_310, ["in_1"]),
      payments: completeness(13_877),
    },
  });

const USERS = ["ada@example.com", "grace", "auth0|652f1c0a9d3e4b0012ab34cd", "ci-deployment", "mallory"];

const dayEvents = (from: number): SecurityEvent[] => {
  const events: SecurityEvent[] = [];
  for (let hour = 0; hour < 24; hour++) {
    const busy = 4 + Math.round(14 * Math.max(0, Math.sin(((hour - 5) / 24) * 2 * Math.PI)));
    for (let n = 0; n < busy; n++) {
      const at = from + hour * HOUR_MS + n * 3 * MINUTE_MS;
      const user = USERS[(hour + n) % 4] ?? "ada";
      events.push(readAt(at, user, (["invoices", "payments", "customers", "settings"] as const)[n % 4] ?? "invoices"));
      if (hour % 4 === 0)
        events.push(eventAt(at + 1_000, { success: n % 7 !== 0, riskLevel: n % 7 === 0 ? "MEDIUM" : "LOW" }));
    }
  }
  const noon = from + 12 * HOUR_MS;
  for (let n = 0; n < 7; n++) events.push(denialAt(noon + n * MINUTE_MS, "mallory"));
  events.push(denialAt(noon + 30 * MINUTE_MS, "grace"));
  for (let n = 0; n < 5; n++) events.push(badTokenAt(noon + n * 1_000, { userId: "mallory" }));
  events.push(badTokenAt(noon + 20_000, { metadata: { failures: 95, users: 40 } }));
  events.push(
    eventAt(noon + HOUR_MS, {
      eventType: "SETTINGS_CHANGED",
      category: "compliance",
      riskLevel: "MEDIUM",
      source: "user",
      userId: "ada@example.com",
      action: "change_settings",
      metadata: {
        requestId: "r",
        ipAllowlist: { from: [], to: ["198.51.100.0/24", "2001:db8::/32"] },
        "recordAccess.member": { from: [], to: ["invoices"] },
      },
    }),
    circuitChangeAt(noon + 2 * HOUR_MS, { generation: 4, from: "closed", to: "open", cause: "failures" }),
    circuitChangeAt(
      noon + 2 * HOUR_MS + 5 * MINUTE_MS,
      {
        generation: 5,
        from: "open",
        to: "forced_open",
        cause: "force_open",
        reason: "The provider announced maintenance",
      },
      {
        source: "user",
        userId: "grace",
        action: "force_open",
        success: true,
        category: "compliance",
        riskLevel: "MEDIUM",
      },
    ),
    circuitChangeAt(
      noon + 4 * HOUR_MS,
      { generation: 6, from: "forced_open", to: "closed", cause: "reset", reason: "Maintenance is over" },
      { source: "user", userId: "grace", action: "reset", success: true, category: "compliance", riskLevel: "MEDIUM" },
    ),
    eventAt(noon + 5 * HOUR_MS, {
      eventType: "PROVIDER_CONNECTION_ESTABLISHED",
      source: "user",
      userId: "ada@example.com",
      action: "connect_account",
      resource: "acct_1Q2w3E4r5T",
      metadata: { method: "oauth" },
    }),
  );
  return events;
};

const sampleAlerts = (at: number): Alert[] => [
  alertAt(at + 12 * HOUR_MS + 3 * MINUTE_MS, { count: 4, lastSeen: at + 13 * HOUR_MS }),
  alertAt(at + 12 * HOUR_MS + 21_000, {
    rule: "repeated_auth_failures",
    subject: "address:203.0.113.9",
    level: "CRITICAL" as RiskLevel,
    title: "A call from another address succeeded after repeated authentication failures of a user",
    status: "acknowledged" as const,
    acknowledgedAt: at + 12 * HOUR_MS + 17 * MINUTE_MS,
    acknowledgedBy: "ada@example.com",
  }),
  alertAt(at + 14 * HOUR_MS, {
    rule: "event_threshold",
    subject: "CIRCUIT_BREAKER_CHANGED circuit",
    title: "The provider kept failing: the circuit breaker opened and refuses calls",
    status: "resolved" as const,
    acknowledgedAt: at + 14 * HOUR_MS + 4 * MINUTE_MS,
    resolvedAt: at + 16 * HOUR_MS,
    resolvedBy: "grace",
    assignee: "grace",
    comments: 2,
  }),
];

/** A mute of a rule, by default for two hours of the Saturday. */
export const muteAt = (from: number, fields: Partial<MuteItem> = {}): MuteItem => ({
  id: eventId(from, identityOf("mute", made++)),
  rules: ["sync_silence"],
  from,
  until: from + 2 * HOUR_MS,
  includeCritical: false,
  reason: "The provider is down for maintenance",
  createdBy: "ada",
  createdAt: from,
  hiddenAlerts: 3,
  hiddenNotifications: 6,
  hiddenLOW: 0,
  hiddenMEDIUM: 0,
  hiddenHIGH: 3,
  hiddenCRITICAL: 0,
  ttl: 4_000_000_000,
  ...fields,
});

/** A Saturday with many events. */
export const complianceInput = (changes: Partial<ComplianceInput> = {}): ComplianceInput => {
  const period = periodOf("compliance", SATURDAY);
  const counter = createDayCounter(period.from);
  for (const event of dayEvents(period.from)) counter.add(event);
  const runs = [0, 4, 8, 12, 16, 20].map((hour) =>
    runAt(
      period.from + hour * HOUR_MS,
      hour === 12
        ? { status: "failed", error: { category: "network", message: "The provider did not answer in time." } }
        : {},
    ),
  );
  return {
    period,
    createdAt: period.to + 31 * MINUTE_MS,
    day: counter.result(),
    unprocessedHighRiskEvents: 9,
    retentionDays: 90,
    oldestEvent: { timestamp: period.to - 61 * DAY_MS, expiresAt: period.to + 29 * DAY_MS },
    connection: "connected",
    key: { kind: "unrestricted", mode: "live", since: 1_795_000_000_000 },
    runs,
    lastSuccessAt: period.from + 20 * HOUR_MS,
    comparedRun: comparedRunAt(period.from - 3 * DAY_MS),
    alerts: sampleAlerts(period.from),
    erasures: [
      {
        id: "01M7YERASURE0000000000000A",
        status: "running",
        requestedAt: period.from - 22 * DAY_MS,
        dueAt: period.from + 8 * DAY_MS,
      },
      {
        id: "01M7YERASURE0000000000000B",
        status: "requested",
        requestedAt: period.from,
        dueAt: period.from + 30 * DAY_MS,
      },
    ],
    mutes: [muteAt(period.from + 10 * HOUR_MS)],
    rulesOff: ["performance_degradation"],
    lastDrill: drillAt(period.from + 10 * HOUR_MS),
    integrity: NOT_SEALED,
    ...changes,
  };
};

const NOT_SEALED: ReportedIntegrity = { log: "not_sealed", text: "The log is not sealed yet." };

/** A drill that one of two destinations took, and that grace acknowledged. */
export const drillAt = (startedAt: number): ReportedDrill => ({
  id: "01M7YDRILL00000000000000AA",
  status: "failed",
  startedAt,
  alertedAt: startedAt + 1_000,
  endedAt: startedAt + 600_000,
  destinations: 2,
  accepted: 1,
  acknowledgedAt: startedAt + 60_000,
  acknowledgedBy: "grace",
});

/** November 2026. */
export const monthInput = (changes: Partial<MonthInput> = {}): MonthInput => {
  const period = periodOf("month", MONDAY);
  const days = new Map<number, Counters>();
  for (let day = period.from; day < period.to; day += DAY_MS) days.set(day, countersOf(100, 10, 3));
  const entry = (kind: "compliance" | "review", from: number) => {
    const { to } = periodOf(kind, from);
    return { id: reportId({ kind, from }), kind, from, to, createdAt: to + 31 * MINUTE_MS };
  };
  return {
    period,
    createdAt: period.to + 2 * HOUR_MS,
    retentionDays: 90,
    days,
    unprocessedHighRiskEvents: 2,
    oldestEventAt: period.from,
    alerts: sampleAlerts(SATURDAY),
    reports: [
      { ...entry("compliance", SATURDAY), reviewedBy: "ada", reviewedAt: SATURDAY + 2 * DAY_MS },
      entry("compliance", SATURDAY - DAY_MS),
      entry("review", MONDAY - 7 * DAY_MS),
    ],
    mutes: [muteAt(SATURDAY + 10 * HOUR_MS)],
    rulesOff: ["performance_degradation"],
    lastDrill: drillAt(SATURDAY),
    connection: "connected",
    key: { kind: "unrestricted", mode: "live", since: MONDAY },
    integrity: NOT_SEALED,
    ...changes,
  };
};

export const sampleMonth = (changes?: Partial<MonthInput>) => buildMonthReport(monthInput(changes));

export const sampleCompliance = (changes?: Partial<ComplianceInput>) => buildComplianceReport(complianceInput(changes));

const countersOf = (events: number, failures: number, refusals: number): Counters => [
  {
    eventType: "DATA_READ",
    category: "data_access",
    riskLevel: "LOW",
    events: events - failures,
    failures: 0,
    timed: 0,
    totalMicroseconds: 0,
  },
  {
    eventType: "PROVIDER_REQUEST",
    category: "integration",
    riskLevel: "MEDIUM",
    events: failures - refusals,
    failures: failures - refusals,
    timed: 0,
    totalMicroseconds: 0,
  },
  {
    eventType: "PERMISSION_DENIED",
    category: "authorization",
    riskLevel: "HIGH",
    events: refusals,
    failures: refusals,
    timed: 0,
    totalMicroseconds: 0,
  },
];

/** A week with an attack on its Saturday, after four quiet ones. */
export const reviewInput = (changes: Partial<ReviewInput> = {}): ReviewInput => {
  const period = periodOf("review", MONDAY);
  const knownFrom = period.from - 28 * DAY_MS;
  const days = new Map<number, Counters>();
  for (let day = knownFrom, index = 0; day < period.to; day += DAY_MS, index++) {
    const isWeekend = index % 7 >= 5;
    const events = 180 + ((index * 37) % 60) - (isWeekend ? 110 : 0);
    const isAttack = day === SATURDAY;
    days.set(
      day,
      countersOf(events + (isAttack ? 150 : 0), isAttack ? 120 : 8 + (index % 5), isAttack ? 100 : index % 3),
    );
  }
  const alerts = [
    ...sampleAlerts(SATURDAY),
    alertAt(period.from - 5 * DAY_MS, {
      rule: "rate_limit_violations",
      level: "MEDIUM",
      subject: "provider",
      title: "The provider's rate limit was exceeded several times",
      status: "resolved",
      resolvedAt: period.from - 4 * DAY_MS,
    }),
    alertAt(period.from - 12 * DAY_MS, {
      rule: "rate_limit_violations",
      level: "MEDIUM",
      subject: "provider",
      title: "The provider's rate limit was exceeded several times",
      status: "resolved",
      resolvedAt: period.from - 11 * DAY_MS,
    }),
    alertAt(period.from - 20 * DAY_MS, {
      rule: "sync_silence",
      subject: "organization",
      title: "No sync has succeeded for two intervals",
      status: "resolved",
      resolvedAt: period.from - 19 * DAY_MS,
    }),
    alertAt(period.from + 2 * DAY_MS, {
      rule: "unusual_api_usage",
      level: "MEDIUM",
      subject: "user:ci-deployment",
      title: "Unusually many calls of the API by a user",
      count: 3,
    }),
  ];
  return {
    period,
    createdAt: period.to + 31 * MINUTE_MS,
    knownFrom,
    days,
    unprocessedHighRiskEvents: 112,
    alerts,
    runs: [runAt(SATURDAY + 12 * HOUR_MS, { status: "failed" }), runAt(MONDAY)],
    transitions: [
      { at: MONDAY - 9 * DAY_MS, generation: 1, from: "closed", to: "open", cause: "failures" },
      { at: MONDAY - 9 * DAY_MS + 31_000, generation: 2, from: "open", to: "half_open", cause: "recovery_timeout" },
      { at: MONDAY - 9 * DAY_MS + 33_000, generation: 3, from: "half_open", to: "closed", cause: "probes_succeeded" },
      { at: SATURDAY + 14 * HOUR_MS, generation: 4, from: "closed", to: "open", cause: "failures" },
      {
        at: SATURDAY + 14 * HOUR_MS + 5 * MINUTE_MS,
        generation: 5,
        from: "open",
        to: "forced_open",
        cause: "force_open",
      },
      { at: SATURDAY + 16 * HOUR_MS, generation: 6, from: "forced_open", to: "closed", cause: "reset" },
    ],
    hold: undefined,
    ...changes,
  };
};

export const sampleReview = (changes?: Partial<ReviewInput>) => buildReviewReport(reviewInput(changes));
