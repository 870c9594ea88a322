/** Ids of the greatest length and every width in UTF-8: every key fits, every index names the organization, and erasure finds the user. */

import { describe, expect, it } from "@jest/globals";
import { createConnectedStore } from "../../../shared/connection/connection-store.ts";
import { userHash } from "../../../shared/detection/detection.ts";
import { createUnjudgedStore } from "../../../shared/detection/unjudged-store.ts";
import { createReportDueStore } from "../../../shared/reports/report-due-store.ts";
import { createWaitingAlertStore } from "../../../shared/security/alerts/alert-outbox-store.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { createOpenHourStore } from "../../../shared/security/statistics/open-hour-store.ts";
import { HOUR_MS } from "../../../shared/terms/hours.ts";
import { organizationIdOf, organizationKey } from "../../../shared/terms/keys.ts";
import { ACCOUNT, personOf, startRunOf } from "./seed.ts";
import { mentionsOf, useWorld } from "./world.ts";

const world = useWorld();

const all = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** Stores data of every kind that names the user. */
const seed = async (organizationId: string, userId: string): Promise<void> => {
  const { main, time, put } = world;
  const scope = organizationKey(organizationId);
  const by = { ...personOf(userId), requestId: "r" };
  const record = (changes: Partial<NewSecurityEvent>) =>
    main.recorder.record({
      organizationId,
      eventType: "DATA_READ",
      category: "data_access",
      riskLevel: "LOW",
      source: "user",
      action: "read_invoices",
      success: true,
      ...changes,
    } as NewSecurityEvent);
  const denied = {
    eventType: "PERMISSION_DENIED",
    category: "authorization",
    riskLevel: "HIGH",
    success: false,
  } as const;
  await record(personOf(userId));
  await record({ ...personOf(userId), ...denied });
  await record({ ...personOf("carol"), metadata: { reason: `asked by ${userId}` } });
  await record({ ...personOf("carol"), success: false, errorMessage: `${"x".repeat(400)} cut: ${userId}` });
  const finding = { title: `Refusals of ${userId}`, level: "HIGH", occurrence: "x", eventIds: [] } as const;
  await main.raiser.raiseForFinding(organizationId, {
    ...finding,
    rule: "permission_escalation",
    subject: `user:${userId}`,
    evidence: { count: 3, users: [userId] },
    firstSeen: time.now,
    lastSeen: time.now,
  });
  await main.raiser.raiseForFinding(organizationId, {
    ...finding,
    rule: "policy_violation",
    subject: "organization",
    evidence: { count: 3, users: [userId] },
    firstSeen: time.now,
    lastSeen: time.now,
  });
  const before = {
    ipAllowlist: [],
    recordAccess: { member: [], guest: [] },
    siemFeed: false,
    accountActivity: true,
    drill: "off" as const,
  };
  await main.settings.replace(organizationId, before, { version: undefined, change: { before, at: time.now, ...by } });
  const connection = { connectionId: "c", accountId: ACCOUNT, method: "api_key" } as const;
  await main.changes.connect(
    organizationId,
    {
      ...connection,
      connectedAt: time.now,
      credentials: new Uint8Array([1]),
      credentialsVersion: "1",
      webhookSecrets: new Uint8Array([2]),
    },
    { ...connection, eventType: "PROVIDER_CONNECTION_ESTABLISHED", at: time.now, source: "user", ...by },
  );
  const baseline = { total: 0, failed: 0, rejected: 0 };
  await main.circuits.operate(organizationId, {
    action: "force_close",
    at: time.now,
    id: "o1",
    by: userId,
    reason: `${userId} says so`,
    baseline,
  });
  await main.webhooks.add(organizationId, {
    id: "evt_1",
    type: "t",
    createdSeconds: 1,
    observations: [],
    isDeauthorization: false,
    connectionId: "c",
    accountId: ACCOUNT,
    receivedAt: time.now,
  });
  await put("detection", { scope, key: `user#${userHash(scope, userId)}`, ttl: 2_000_000_000, since: 1, days: "[]" });
  await put("reports", { scope, key: "compliance#2026-11-18", ttl: 2_000_000_000 });
  await put("reports", {
    scope,
    key: "content#compliance#2026-11-18",
    ttl: 2_000_000_000,
    report: JSON.stringify({ users: [userId] }),
  });
  await startRunOf(world, organizationId, userId);
};

describe.each(["x", "é", "€", "🌱"])("an organization and a user with ids of 128 characters %s", (character) => {
  const organizationId = character.repeat(128);
  const userId = `${character.repeat(127)}-`;

  it("are stored, and found by every index", async () => {
    await seed(organizationId, userId);
    const { main, time } = world;
    const { open } = main;
    const selection = { organizationId, userId, since: 0 };
    const { events } = await main.securityEvents.list(selection, { limit: 9, after: undefined, now: time.now });
    expect(events.map((event) => event.userId)).toEqual(expect.arrayContaining([userId, userId]));

    const before = time.now + HOUR_MS;
    const unjudged = createUnjudgedStore(open("detection"), { retentionDays: 90 });
    await unjudged.markUnjudged(organizationKey(organizationId), time.now);
    const due = createReportDueStore(open("reports"));
    await due.markReportsDue(organizationKey(organizationId), time.now);
    const hours = createOpenHourStore(open("securityRollups"), world.clock);
    const outbox = createWaitingAlertStore(open("securityAlerts"));
    const named = {
      connected: await all(createConnectedStore(open("connections")).connectedOrganizations()),
      active: await all(main.runs.listActive()),
      pending: (await main.webhooks.listPending({ before, limit: 9 })).map((event) => event.organizationId),
      unjudged: (await all(unjudged.listAll())).map(({ scope }) => organizationIdOf(scope)),
      due: (await all(due.listAll())).map(({ scope }) => organizationIdOf(scope)),
      open: (await all(hours.listAll(before))).map(({ scope }) => organizationIdOf(scope)),
      alerts: (await outbox.list({ before, now: time.now, limit: 9 })).map((change) => change.organizationId),
    };
    for (const [index, ids] of Object.entries(named))
      expect({ index, ids }).toEqual({ index, ids: expect.arrayContaining([organizationId]) });
  });

  it("lose everything that names the user by the user's erasure", async () => {
    await world.request(
      { scope: "user", userId, reason: `${userId} left` },
      {
        caller: { organizationId, userId: "root", sessionId: "s" },
        origin: { requestId: "r", ipAddress: "203.0.113.1", userAgent: "b" },
      },
    );
    expect(await all(world.main.erasures.listOpen())).toEqual([expect.objectContaining({ organizationId })]);
    expect(mentionsOf(await world.scan(), userId)).not.toEqual([]);
    await world.deliverAll();
    expect((await world.list(organizationId))[0]).toMatchObject({ status: "completed" });
    const stored = await world.scan();
    expect(mentionsOf(stored, userId)).toEqual([]);
    expect(mentionsOf(stored, encodeURIComponent(userId))).toEqual([]);
    expect(mentionsOf(stored, "xx cut")).toEqual([]);
    expect(mentionsOf(stored, userHash(organizationKey(organizationId), userId))).toEqual([]);
    const selection = { organizationId, userId, since: 0 };
    const { events } = await world.main.securityEvents.list(selection, { limit: 9, now: world.time.now });
    expect(events).toEqual([]);
  });
});
