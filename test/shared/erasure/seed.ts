/** Stores every kind of data of an organization and its users, with the service's own writers where possible. */

import { userHash } from "../../../shared/detection/detection.ts";
import { ExportRequested } from "../../../shared/exports/export-events.ts";
import type { StoredDelivery } from "../../../shared/notifications/delivery.ts";
import { type Notification, NotifiedAlert } from "../../../shared/notifications/messages/notification.ts";
import type { UnrecordedChange } from "../../../shared/notifications/notification-events.ts";
import { type DestinationItem, deletedKey, silencedKey } from "../../../shared/notifications/notification-items.ts";
import type { NewNote } from "../../../shared/security/alerts/alert-note.ts";
import { eventId, identityOf } from "../../../shared/security/event-id.ts";
import { createAlertActions } from "../../../shared/security/monitoring/alert-actions.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { noProgress } from "../../../shared/sync/sync-run.ts";
import { newWork } from "../../../shared/sync/sync-work.ts";
import { dayName, HOUR_MS, hourName } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { keyOf } from "../../../shared/webhooks/event-partitions.ts";
import { identityAt } from "../../support/request-identity.ts";
import type { World } from "./world.ts";

export const ACCOUNT = "acct_1AbC";

/** A user with session, address and browser. */
export const personOf = (userId: string) => ({
  userId,
  sessionId: `session of ${userId}`,
  ipAddress: userId === "bob" ? "192.0.2.7" : "198.51.100.9",
  userAgent: `browser of ${userId}`,
});

const eventOf = (organizationId: string, said: Partial<NewSecurityEvent>): NewSecurityEvent =>
  ({
    organizationId,
    eventType: "DATA_READ",
    category: "data_access",
    riskLevel: "LOW",
    source: "user",
    action: "read_invoices",
    success: true,
    ...said,
  }) as NewSecurityEvent;

/** A user's ten events: three raise alerts, and one records an alert that the user typed. */
const seedUser = async ({ main, time }: World, organizationId: string, userId: string): Promise<void> => {
  const person = personOf(userId);
  const record = (said: Partial<NewSecurityEvent>) => {
    time.now += 1_000;
    return main.recorder.record(eventOf(organizationId, { ...person, ...said }));
  };
  for (let i = 0; i < 5; i++) await record({ metadata: { durationMs: i, requestId: `r${i}` } });
  await record({
    eventType: "PERMISSION_DENIED",
    category: "authorization",
    riskLevel: "HIGH",
    success: false,
    errorMessage: `not from ${person.ipAddress}`,
    resource: "GET /records",
  });
  await record({ eventType: "AUTHENTICATION_FAILURE", category: "authentication", riskLevel: "HIGH", success: false });
  await record({ eventType: "CIRCUIT_BREAKER_CHANGED", metadata: { cause: "reset", reason: `${userId} says so` } });
  await record({
    eventType: "PROVIDER_REQUEST",
    category: "integration",
    resource: ACCOUNT,
    metadata: { durationMs: 7 },
  });
  const { ipAddress, userAgent } = person;
  const act = createAlertActions({
    alerts: main.decisions,
    reopenings: main.reopenings,
    notes: main.notes,
    publisher: { publish: async () => [] },
    events: { markProcessed: () => Promise.reject(new Error("not used")) },
    recorder: main.recorder,
  });
  await act(
    { action: "generate_alert", title: `typed ${userId === "bob" ? "by him" : "by her"}`, riskLevel: "LOW" },
    {
      caller: { organizationId, userId, sessionId: person.sessionId },
      origin: { requestId: "r", ipAddress, userAgent },
      identity: identityAt(time.now, { id: `typed by ${userId}` }),
    },
  );
};

/** A comment of carol's on every alert; on one about no user also notes by, for and about bob. */
const seedNotes = async ({ main, time }: World, organizationId: string): Promise<void> => {
  const query = { limit: 100, after: undefined, now: time.now };
  const { items } = await main.alerts.list(organizationId, query);
  const add = async (alertId: string, by: string, note: NewNote) => {
    time.now += 1_000;
    await main.notes.add(organizationId, alertId, note, { by, now: time.now });
  };
  for (const { id } of items) await add(id, "carol", { change: "commented", text: "I have seen it" });
  const { id = "" } = items.find(({ rule }) => rule === "unusual_api_usage") ?? {};
  await add(id, "carol", { change: "assigned", assignee: "bob" });
  await add(id, "bob", { change: "commented", text: "I looked at it" });
  await add(id, "carol", { change: "commented", text: "ask bob" });
};

/** Events and alerts without a user. */
const seedEvents = async ({ main, time }: World, organizationId: string): Promise<void> => {
  const record = (said: Partial<NewSecurityEvent>) => {
    time.now += 1_000;
    return main.recorder.record(eventOf(organizationId, { source: "system", ...said }));
  };
  // A count of further failures from bob's address.
  await record({
    eventType: "AUTHENTICATION_FAILURE",
    category: "authentication",
    success: false,
    source: "user",
    ipAddress: personOf("bob").ipAddress,
    userAgent: "x",
    metadata: { failures: 5, users: 1 },
  });
  await record({ ...personOf("carol"), metadata: { reason: "asked by bob" } });
  await record({ metadata: { durationMs: 3 } });
  for (const rule of ["rate_limit_violations", "unusual_api_usage"] as const) {
    await main.raiser.raiseForFinding(organizationId, {
      rule,
      subject: "organization",
      title: "Too much",
      level: "HIGH",
      occurrence: hourName(time.now),
      eventIds: [],
      evidence: { count: 3, users: ["bob", "carol"] },
      firstSeen: time.now,
      lastSeen: time.now,
    });
  }
};

const seedDetection = async ({ put, time }: World, organizationId: string): Promise<void> => {
  const scope = organizationKey(organizationId);
  const ttl = Math.floor(time.now / 1_000) + 86_400;
  const hashes = ["bob", "carol"].map((userId) => userHash(scope, userId));
  const counts = { calls: 1, peak: 1, from: 3 };
  const fact = (userId: string) => ({
    id: "01K",
    at: time.now,
    type: "PERMISSION_DENIED",
    category: "authorization",
    riskLevel: "HIGH",
    source: "user",
    success: false,
    userId,
    ipAddress: personOf(userId).ipAddress,
  });
  const finding = (userId: string) => ({
    rule: "permission_escalation",
    subject: `user:${userId}`,
    title: "t",
    level: "HIGH",
    occurrence: "x",
    eventIds: [],
    evidence: { count: 3 },
    firstSeen: 1,
    lastSeen: 2,
  });
  await put("detection", {
    scope,
    key: `window#${hourName(time.now)}`,
    ttl,
    judgedAt: 1,
    rules: { a: 1 },
    eventsRead: 9,
    finishedAt: 2,
    findings: JSON.stringify([finding("bob"), finding("carol")]),
    carried: JSON.stringify([fact("bob"), fact("carol")]),
    today: JSON.stringify({
      day: dayName(time.now),
      since: 1,
      all: counts,
      seen: ["abc"],
      users: Object.fromEntries(hashes.map((hash) => [hash, counts])),
    }),
  });
  for (const hash of hashes) await put("detection", { scope, key: `user#${hash}`, ttl, since: 1, days: "[]" });
  await put("detection", { scope, key: "baseline", ttl, since: 1, days: '[["2026-11-20",3,1]]', known: "{}" });
  await put("detection", { scope, key: `unjudged#${hourName(time.now)}`, ttl, unjudgedShard: "0" });
};

/** Two reports with entry and content, each mentioning a user, reviews of one, and a mark. */
const seedReports = async ({ put, time }: World, organizationId: string): Promise<void> => {
  const scope = organizationKey(organizationId);
  const ttl = Math.floor(time.now / 1_000) + 86_400;
  for (const [day, userId] of [
    ["2026-11-18", "bob"],
    ["2026-11-19", "carol"],
  ] as const) {
    await put("reports", { scope, key: `compliance#${day}`, ttl });
    await put("reports", { scope, key: `content#compliance#${day}`, ttl, report: JSON.stringify({ users: [userId] }) });
  }
  const reviews = [
    { id: "1", by: "bob", at: 1, note: "Asked carol" },
    { id: "2", by: "carol", at: 2, note: "Asked bob" },
  ];
  await put("reports", { scope, key: "reviews#compliance#2026-11-18", ttl, reviews, token: "t" });
  await put("reports", { scope, key: "due#review#2026-11-16", ttl, dueShard: "1" });
};

/** Destination ids end in it: of a webhook by bob, of bob's address, of a chat that is named after bob. */
const destinationIdOf = (at: number, letter: string): string => eventId(at, new Uint8Array(16)).slice(0, -1) + letter;

/**
 * Three destinations. The first one has a delivery of each alert, a summary that was sent and one that collects, and a test
 * that bob asked for. It was changed three times, and one change is still to be sent to its address.
 */
const seedNotifications = async ({ main, put, time }: World, organizationId: string): Promise<void> => {
  const scope = organizationKey(organizationId);
  const { now } = time;
  const ids = ["A", "B", "C"].map((letter) => destinationIdOf(now, letter));
  const [webhook = "", mail = "", chat = ""] = ids;
  const unrecorded = (
    action: UnrecordedChange["action"],
    destination: UnrecordedChange["destination"],
  ): UnrecordedChange => ({
    action,
    destination,
    version: "1",
    at: now,
    requestId: "r-1",
    userId: "bob",
    ipAddress: "192.0.2.9",
  });
  const common = { status: "active", filter: {}, createdAt: now, changedAt: now, version: "1" } as const;
  const items: Omit<DestinationItem, keyof typeof common | "sealed">[] = [
    {
      id: webhook,
      type: "webhook",
      name: "Ops",
      target: "https://hooks.example.org/in",
      createdBy: "bob",
      changedBy: "carol",
      change: unrecorded("create_destination", { id: webhook, type: "webhook", name: "Ops" }),
    },
    { id: mail, type: "email", name: "Mail", target: "bob@example.com", createdBy: "carol", changedBy: "carol" },
    { id: chat, type: "slack", name: "for bob", target: "hooks.slack.com/…", createdBy: "carol", changedBy: "bob" },
  ];
  for (const item of items) {
    await main.destinations.create(organizationId, { ...common, ...item, sealed: new Uint8Array([1]) });
  }
  const gone = { id: destinationIdOf(now, "D"), type: "slack", name: "Old" } as const;
  await put("notifications", {
    ...deletedKey(organizationId, gone.id),
    change: unrecorded("delete_destination", gone),
  });
  const { items: alerts } = await main.alerts.list(organizationId, { limit: 100, after: undefined, now });
  const url = "https://console.example.org/";
  const entries = alerts.map((alert) => ({ ...NotifiedAlert.parse(alert), change: "raised", url }) as const);
  const claimOf = (alert: (typeof alerts)[number], destinationId: string) => ({
    organizationId,
    destinationId,
    alert,
    now,
    due: { claim: alert.level, change: "raised" } as const,
  });
  for (const [i, alert] of alerts.entries()) {
    const deliveryId = eventId(now, identityOf("delivery", i));
    const notification = {
      type: "security.alert.raised",
      timestamp: now,
      organizationId,
      data: { alert: entries[i], url },
    };
    await main.notices.deliver(claimOf(alert, webhook), deliveryId, JSON.stringify(notification));
    const times = { from: now, dueAt: now + HOUR_MS };
    const bundle = { deliveryId: eventId(now, identityOf("bundle")), reason: "digest", ...times } as const;
    const entry = entries[i];
    if (entry !== undefined) await main.notices.hold(claimOf(alert, chat), bundle, { at: now, entry });
    await main.notices.takePlace(organizationId, { destinationId: webhook, deliveryId }, { level: alert.level, now });
  }
  const sent = (name: string, notification: Notification, fields: Partial<StoredDelivery> = {}) => {
    const delivery = {
      destinationId: webhook,
      deliveryId: eventId(now, identityOf(name)),
      type: notification.type,
      status: "delivered",
      createdAt: now,
      notification: JSON.stringify(notification),
      tries: 0,
      attempts: [
        { at: now, latencyMs: 5, status: 500, answer: "no user bob here" },
        { at: now, latencyMs: 7, status: 200 },
      ],
      ttl: Math.floor(now / 1_000) + 86_400,
      ...fields,
    } as const satisfies StoredDelivery;
    return put("notifications", {
      scope,
      key: `delivery#${delivery.destinationId}#${delivery.deliveryId}`,
      ...delivery,
    });
  };
  const of = { timestamp: now, organizationId };
  const counts = { total: entries.length, byLevel: { HIGH: entries.length }, byChange: { raised: entries.length } };
  await sent("summary", {
    type: "security.alerts.summary",
    ...of,
    data: { reason: "storm", from: now, to: now, ...counts, alerts: entries, leftOut: {}, url },
  });
  await sent(
    "test",
    { type: "notification.test", ...of, data: { destination: { id: webhook, name: "Ops" } } },
    { requestedBy: "bob" },
  );
  await sent(
    "mail",
    { type: "notification.test", ...of, data: { destination: { id: mail, name: "Mail" } } },
    { destinationId: mail },
  );
  const former = { target: "https://hooks.example.org/in", sealed: new Uint8Array([1]) };
  const ofBob = { ...former, target: "https://hooks.example.org/bob" };
  await sent(
    "moved",
    { type: "notification.test", ...of, data: { destination: { id: webhook, name: "Ops" } } },
    { former: ofBob },
  );
  const silenced = { destinationId: webhook, title: "Ops was moved", former, ttl: Math.floor(now / 1_000) + 86_400 };
  for (const [n, fields] of [{}, { title: "bob's was moved" }, { former: ofBob }].entries()) {
    const silencing = { ...silenced, eventId: eventId(now, identityOf("silencing", n)), ...fields };
    await put("notifications", { ...silencedKey(organizationId, silencing), ...silencing });
  }
};

/** Exports of bob and of carol that are complete, and two of carol's that have begun, or not. */
const seedExports = async (world: World, organizationId: string): Promise<void> => {
  const request = async (userId: string, filter: { userId?: string }) => {
    world.time.now += 1_000;
    const { sessionId, ipAddress, userAgent } = personOf(userId);
    const { id } = await world.requestExport(
      { kind: "events", request: { format: "ndjson", ...filter } },
      { caller: { organizationId, userId, sessionId }, origin: { requestId: "r", ipAddress, userAgent } },
    );
    return ExportRequested.parse({ version: 1, organizationId, exportId: id });
  };
  await world.deliverExport(await request("bob", { userId: "carol" }));
  await world.deliverExport(await request("carol", {}));
  let calls = 0;
  await world.deliverExport(await request("carol", { userId: "bob" }), {
    remainingMs: () => (++calls > 1 ? 10_000 : 900_000),
  });
  await request("carol", {});
};

const seedRecords = async ({ put, putAll, time }: World, organizationId: string, count: number): Promise<void> => {
  const scope = organizationKey(organizationId);
  const records = Array.from({ length: count }, (_, i) => ({
    scope,
    key: `customers#cus_${i}`,
    listKey: `${scope}#customers`,
    createdKey: `${String(i).padStart(15, "0")}#x`,
    createdAt: i,
    updatedAt: i,
    version: "1",
    fields: { email: `mail${i}@example.com` },
    seenFrom: 1,
    seenTo: 1,
  }));
  await putAll("records", records);
  for (const [key, processedAt] of [
    [keyOf({ organizationId, id: "evt_1" }), time.now],
    // As an earlier version stored it.
    [{ scope, id: "evt_2" }, undefined],
  ] as const) {
    await put("webhookEvents", {
      ...key,
      type: "customer.updated",
      receivedAt: time.now,
      processedAt,
      observations: "[]",
    });
  }
  await put("webhookEvents", { scope, id: "#gap", askedAt: 1, eventId: "evt_1" });
};

/** A connection, settings, a circuit and runs, all changed by bob. */
const seedState = async ({ main, put, time }: World, organizationId: string): Promise<void> => {
  const scope = organizationKey(organizationId);
  const { userId, sessionId, ipAddress, userAgent } = personOf("bob");
  const by = { userId, sessionId, ipAddress, userAgent, requestId: "r" };
  await main.changes.connect(
    organizationId,
    {
      connectionId: "connection 1",
      method: "api_key",
      accountId: ACCOUNT,
      connectedAt: time.now,
      credentials: new Uint8Array([1]),
      credentialsVersion: "1",
      webhookSecrets: new Uint8Array([2]),
    },
    {
      eventType: "PROVIDER_CONNECTION_ESTABLISHED",
      connectionId: "connection 1",
      accountId: ACCOUNT,
      method: "api_key",
      at: time.now,
      source: "user",
      ...by,
    },
  );
  await main.claims.claimRecords(organizationId, { connectionId: "connection 1", accountId: ACCOUNT });
  const before = {
    ipAllowlist: [],
    recordAccess: { member: [], guest: [] },
    siemFeed: false,
    accountActivity: true,
    drill: "off" as const,
  };
  await main.settings.replace(
    organizationId,
    { ...before, ipAllowlist: ["192.0.2.0/24"], recordAccess: { member: ["invoices"], guest: [] } },
    { version: undefined, change: { before, at: time.now, ...by } },
  );
  const baseline = { total: 0, failed: 0, rejected: 0 };
  for (const [id, author, reason] of [
    ["o1", "bob", "because"],
    ["o2", "carol", "bob was wrong"],
  ] as const) {
    await main.circuits.operate(organizationId, {
      action: "force_close",
      at: time.now,
      id,
      by: author,
      reason,
      baseline,
    });
  }
  const compared = { listed: 1, stored: 0, onlyListed: ["cus_9"], onlyStored: [] };
  await put("syncRuns", {
    scope,
    key: "run#01A",
    id: "01A",
    trigger: "manual",
    mode: "full",
    status: "failed",
    startedAt: 1,
    finishedAt: 2,
    ttl: 2_000_000_000,
    progress: noProgress(),
    error: { category: "validation", message: "No such customer: bob" },
    completeness: { customers: compared, subscriptions: compared, invoices: compared, payments: compared },
  });
  await put("syncRuns", { scope, key: "aside#customers#digest", ttl: 2_000_000_000 });
  await put("syncRuns", { scope, key: "page#01A#customers#00000000", ids: "cus_1\ncus_2", ttl: 2_000_000_000 });
  await put("syncRuns", { scope, key: "state", cursor: { createdSeconds: 1, known: "" }, lastSuccessAt: 5, slot: 7 });
  await put("securityRollups", {
    scope,
    period: `read#${new Date(time.now).toISOString().slice(0, 16)}#digest`,
    token: "t",
    ttl: 1,
  });
};

/** An active run that a user requested, with a worker whose lease lasts for another 45 s. */
export const startRunOf = async ({ main, time }: World, organizationId: string, userId: string): Promise<void> => {
  const { sessionId, ipAddress, userAgent } = personOf(userId);
  const askedBy = { userId, sessionId, ipAddress, userAgent };
  const run = { id: "01R", trigger: "manual", mode: "full", startedAt: time.now, progress: noProgress() } as const;
  await main.runs.start(organizationId, { ...run, askedBy, work: newWork("full") });
  await main.runLeases.take(organizationId, "01R", { delivery: "d", attempt: "a" }, time.now);
};

export const RECORDS = 1_203;

/** Events: 10 of each of two users, 3 without a user, and 2 that are recorded late. */
export const seed = async (world: World, organizationId: string, records = RECORDS): Promise<void> => {
  world.time.now += HOUR_MS;
  await seedState(world, organizationId);
  for (const userId of ["bob", "carol"]) await seedUser(world, organizationId, userId);
  await seedEvents(world, organizationId);
  await seedNotes(world, organizationId);
  await seedDetection(world, organizationId);
  await seedReports(world, organizationId);
  await seedNotifications(world, organizationId);
  await seedExports(world, organizationId);
  await seedRecords(world, organizationId, records);
};
