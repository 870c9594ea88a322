import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { documentTranslation } from "../../../../shared/runtime/document-translation.ts";
import { organizationKey } from "../../../../shared/terms/keys.ts";
import type { RiskLevel } from "../../../../shared/terms/risk-levels.ts";
import {
  type AlertStores,
  alertStoresAt,
  alertStoresOver,
  listAll,
  NOON,
  RETENTION_DAYS,
  randomId,
  reasonAt,
  startAlertTable,
} from "../../../support/alerts.ts";
import { countUnits } from "../../../support/consumed-units.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { startLossyProxy } from "../../../support/lossy-proxy.ts";

const DAY = 86_400_000;

let table: Awaited<ReturnType<typeof startAlertTable>>;
let alerts: AlertStores;
let organizations = 0;
const freshOrganization = () => `acme-${++organizations}`;

beforeAll(async () => {
  table = await startAlertTable();
  alerts = table.stores();
});
afterAll(() => table.stop());

describe("raising", () => {
  it("creates one alert per rule and subject, and counts it again", async () => {
    const organization = freshOrganization();
    const first = await alerts.raise(organization, reasonAt(NOON), NOON);
    const second = await alerts.raise(organization, reasonAt(NOON + 1_000), NOON + 1_000);
    expect(first).toMatchObject({ change: "raised", alert: { status: "open", count: 1, revision: 1 } });
    expect(second).toMatchObject({ change: "repeated", alert: { id: first.alert.id, count: 2, revision: 2 } });
    expect(second.alert).toMatchObject({ firstSeen: NOON, lastSeen: NOON + 1_000 });
    await expect(listAll(alerts, organization)).resolves.toEqual([second.alert]);
  });

  it("keeps rules, subjects and organizations apart", async () => {
    const [one, other] = [freshOrganization(), freshOrganization()];
    await alerts.raise(one, reasonAt(NOON), NOON);
    await alerts.raise(one, reasonAt(NOON, { subject: "b" }), NOON);
    await alerts.raise(one, reasonAt(NOON, { rule: "c" }), NOON);
    await alerts.raise(other, reasonAt(NOON), NOON);
    await expect(listAll(alerts, one)).resolves.toHaveLength(3);
    await expect(listAll(alerts, other)).resolves.toMatchObject([{ count: 1 }]);
  });

  it("stores a finding without events", async () => {
    const organization = freshOrganization();
    const reason = reasonAt(NOON, { kind: "finding", eventIds: [] });
    await expect(alerts.raise(organization, reason, NOON)).resolves.toMatchObject({
      alert: { eventIds: [], count: 1 },
    });
  });

  it("names the techniques of a built-in rule, and of another rule those of the trigger", async () => {
    const organization = freshOrganization();
    const raise = async (rule: string, fields = {}) =>
      (await alerts.raise(organization, reasonAt(NOON, { kind: "finding", rule, ...fields }), NOON)).alert.attack;
    expect(await raise("policy_violation")).toEqual([{ tactic: "TA0001", technique: "T1078" }]);
    const attack = [{ tactic: "TA0006", technique: "T1110.003" }];
    expect(await raise("custom_1", { attack })).toEqual(attack);
    expect(await raise("custom_2")).toBeUndefined();
    // The newest trigger's hold: the rule may have been changed.
    expect(await raise("custom_2", { attack, occurrence: "b" })).toEqual(attack);
    expect((await listAll(alerts, organization)).map(({ rule, attack: listed }) => [rule, listed]).sort()).toEqual([
      ["custom_1", attack],
      ["custom_2", attack],
      ["policy_violation", [{ tactic: "TA0001", technique: "T1078" }]],
    ]);
  });

  it("counts the same event once", async () => {
    const organization = freshOrganization();
    const reason = reasonAt(NOON);
    await alerts.raise(organization, reason, NOON);
    await alerts.raise(organization, reasonAt(NOON + 1), NOON);
    await expect(alerts.raise(organization, reason, NOON)).resolves.toMatchObject({
      change: undefined,
      alert: { count: 2 },
    });
  });

  it("counts a finding by its occurrence, not by its events", async () => {
    const organization = freshOrganization();
    const events = [randomId(NOON), randomId(NOON + 1)];
    const finding = (occurrence: string, count: number) =>
      reasonAt(NOON, {
        kind: "finding",
        rule: "system_errors",
        occurrence,
        eventIds: events,
        evidence: { count, details: { hour: occurrence } },
      });
    await alerts.raise(organization, finding("2026-11-21T10", 5), NOON);
    await alerts.raise(organization, finding("2026-11-21T10", 5), NOON);
    const { alert } = await alerts.raise(organization, finding("2026-11-21T11", 7), NOON);
    expect(alert).toMatchObject({ count: 2, evidence: { count: 12, hour: "2026-11-21T11" } });
    expect([...alert.eventIds].sort()).toEqual([...events].sort());
    await expect(alerts.listUnresolvedFindings(organization, NOON)).resolves.toEqual([alert]);
  });

  it("keeps the earliest firstSeen, the latest lastSeen and the highest level, in any order", async () => {
    const organization = freshOrganization();
    const times = [5, 2, 9, 9, 1, 7];
    const levels = ["MEDIUM", "CRITICAL", "LOW", "HIGH", "HIGH", "LOW"] as const;
    for (const [i, time] of times.entries()) {
      await alerts.raise(organization, reasonAt(NOON + time, { level: levels[i] ?? "LOW" }), NOON);
    }
    const [alert, ...others] = await listAll(alerts, organization);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({ firstSeen: NOON + 1, lastSeen: NOON + 9, level: "CRITICAL", count: 6 });
  });

  deepIt("keeps the newest 100 events, newest first", async () => {
    const organization = freshOrganization();
    const ids: string[] = [];
    for (let i = 0; i < 140; i++) {
      const reason = reasonAt(NOON + i);
      ids.push(reason.occurrence);
      await alerts.raise(organization, reason, NOON);
    }
    const [alert] = await listAll(alerts, organization);
    expect(alert?.count).toBe(140);
    expect(alert?.eventIds).toEqual(ids.reverse().slice(0, 100));
    // What is stored does not grow either.
    const { Items } = await table.client().send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: "#scope = :scope",
        ExpressionAttributeNames: { "#scope": "scope" },
        ExpressionAttributeValues: { ":scope": { S: organizationKey(organization) } },
      }),
    );
    expect(Items?.[0]?.eventIds?.SS?.length).toBeLessThanOrEqual(116);
  });

  it("makes one alert, counted 50 times, of 50 triggers at once", async () => {
    const organization = freshOrganization();
    const reasons = Array.from({ length: 50 }, (_, i) =>
      reasonAt(NOON + ((i * 37) % 50), { level: i % 3 ? "HIGH" : "LOW" }),
    );
    const raised = await Promise.all(reasons.map((reason) => alerts.raise(organization, reason, NOON)));
    expect(raised.filter(({ change }) => change === "raised")).toHaveLength(1);
    const found = await listAll(alerts, organization);
    expect(found).toMatchObject([{ count: 50, revision: 50, firstSeen: NOON, lastSeen: NOON + 49, level: "HIGH" }]);
    expect(new Set(found[0]?.eventIds)).toEqual(new Set(reasons.map(({ occurrence }) => occurrence)));
  });
});

describe("a repetition at a higher level", () => {
  it("keeps the level at which the alert was raised, and when the level last rose", async () => {
    const organization = freshOrganization();
    const raise = (level: RiskLevel, after: number) =>
      alerts.raise(organization, reasonAt(NOON + after, { level }), NOON + after);
    const { alert: raised } = await raise("LOW", 0);
    expect(raised).not.toHaveProperty("raisedLevel");
    expect(raised).not.toHaveProperty("escalatedAt");
    const risen = { raisedLevel: "LOW", level: "MEDIUM", escalatedAt: NOON + 1 };
    await expect(raise("MEDIUM", 1)).resolves.toMatchObject({ change: "repeated", alert: risen });
    await expect(raise("LOW", 2)).resolves.toMatchObject({ alert: risen });
    await expect(raise("CRITICAL", 3)).resolves.toMatchObject({
      alert: { raisedLevel: "LOW", level: "CRITICAL", escalatedAt: NOON + 3 },
    });
  });

  it("of a resolved alert raises a new alert, which has not risen", async () => {
    const organization = freshOrganization();
    const client = table.documentClient(documentTranslation);
    const { alert: low } = await alerts.raise(organization, reasonAt(NOON, { level: "LOW" }), NOON);
    let calls = 0;
    client.middlewareStack.add(
      (next) => async (args) => {
        // Between the attempt that finds the lower level and the attempt that raises it.
        if (++calls === 2) await alerts.resolve(organization, low.id, { by: "ada", now: NOON });
        return next(args);
      },
      { step: "initialize" },
    );
    const { alert, change } = await alertStoresOver(client).raise(organization, reasonAt(NOON + 1), NOON + 1);
    expect(change).toBe("raised");
    expect(alert).toMatchObject({ level: "HIGH", count: 1 });
    expect(alert.id).not.toBe(low.id);
    expect(alert).not.toHaveProperty("raisedLevel");
  });
});

describe("an expired alert", () => {
  it("is neither listed nor counted again: a new alert replaces it", async () => {
    const organization = freshOrganization();
    const { alert: old } = await alerts.raise(
      organization,
      reasonAt(NOON, { message: "old", kind: "finding", evidence: { count: 3, details: {} }, level: "LOW" }),
      NOON,
    );
    await alerts.raise(organization, reasonAt(NOON, { kind: "finding" }), NOON);
    await alerts.acknowledge(organization, old.id, { by: "ada", now: NOON });
    const later = NOON + (RETENTION_DAYS + 1) * DAY;
    await expect(listAll(alerts, organization, { now: later })).resolves.toEqual([]);
    await expect(alerts.listUnresolvedFindings(organization, later)).resolves.toEqual([]);
    const reason = reasonAt(later, { kind: "finding" });
    const { alert, change } = await alerts.raise(organization, reason, later);
    expect(change).toBe("raised");
    expect(alert).toEqual({
      id: expect.any(String),
      title: reason.title,
      level: "HIGH",
      rule: reason.rule,
      subject: reason.subject,
      status: "open",
      count: 1,
      revision: 1,
      firstSeen: later,
      lastSeen: later,
      eventIds: reason.eventIds,
    });
    expect(alert.id).not.toBe(old.id);
    await expect(listAll(alerts, organization, { now: later })).resolves.toEqual([alert]);
  });

  it("expires by its last trigger", async () => {
    const organization = freshOrganization();
    const week = 7 * DAY;
    await alerts.raise(organization, reasonAt(NOON), NOON);
    await alerts.raise(organization, reasonAt(NOON + week), NOON + week);
    const now = NOON + (RETENTION_DAYS + 6) * DAY;
    await expect(listAll(alerts, organization, { now })).resolves.toHaveLength(1);
    await expect(listAll(alerts, organization, { now: now + 2 * DAY })).resolves.toEqual([]);
  });
});

describe("a lost answer", () => {
  let proxy: Awaited<ReturnType<typeof startLossyProxy>>;
  beforeAll(async () => {
    proxy = await startLossyProxy(table.endpoint);
  });
  afterAll(() => proxy.stop());

  it("does not count twice, but the change is published", async () => {
    const organization = freshOrganization();
    const lossy = alertStoresAt(proxy.url);
    const first = await lossy.raise(organization, reasonAt(NOON), NOON);
    const second = await lossy.raise(organization, reasonAt(NOON + 1), NOON);
    expect(first).toMatchObject({ change: "raised", alert: { count: 1 } });
    expect(second).toMatchObject({ change: "repeated", alert: { count: 2, revision: 2 } });
    await expect(listAll(alerts, organization)).resolves.toEqual([second.alert]);
  });
});

describe("the cost of raising", () => {
  deepIt("is one write call, and its units depend on the item's size", async () => {
    const client = table.documentClient(documentTranslation);
    let calls = 0;
    client.middlewareStack.add(
      (next) => (args) => {
        calls++;
        return next(args);
      },
      { step: "initialize" },
    );
    const measure = countUnits(client);
    const counted = alertStoresOver(client);
    const organization = freshOrganization();
    const message = "The role guest does not have the permission security:read.";
    const raise = (i: number) => () => counted.raise(organization, reasonAt(NOON + i, { message }), NOON + i);

    await expect(measure(raise(0))).resolves.toEqual({ read: 0, write: 3 });
    await expect(measure(raise(1))).resolves.toEqual({ read: 0, write: 2 });
    for (let i = 2; i < 100; i++) await raise(i)();
    const full = await measure(raise(100));
    expect(calls).toBe(101);
    expect(full.write).toBeLessThanOrEqual(8);
  });
});
