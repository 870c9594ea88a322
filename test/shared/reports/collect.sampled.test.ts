import { randomBytes } from "node:crypto";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { createCircuitStore } from "../../../shared/circuit-breaker/circuit-store.ts";
import { createConnectionStore } from "../../../shared/connection/connection-store.ts";
import { createComplianceCollector, readErasures } from "../../../shared/reports/collect-compliance.ts";
import { createMonthCollector } from "../../../shared/reports/collect-month.ts";
import { countDays, createReviewCollector } from "../../../shared/reports/collect-review.ts";
import { periodOf, reportId } from "../../../shared/reports/period.ts";
import { createPeriodEventsStore } from "../../../shared/reports/period-events-store.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createAlertRaisingStore } from "../../../shared/security/alerts/alert-raising-store.ts";
import { createAlertStore } from "../../../shared/security/alerts/alert-store.ts";
import type { NewSecurityEvent } from "../../../shared/security/security-event.ts";
import { createSyncEndStore } from "../../../shared/sync/sync-end-store.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfDay } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { reasonAt } from "../../support/alerts.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { NOW } from "../../support/security-events.ts";
import { type Actor, startRollupWorld } from "../../support/security-rollups.ts";
import { tableDefinition } from "../../support/service-tables.ts";
import { usePerFile } from "../../support/use-started.ts";
import { comparedRunAt, drillAt, muteAt, runAt, sampleCompliance } from "./samples.ts";

const RETENTION_DAYS = 90;
/** 12:30 on a Saturday, the start and end of that day, and the Monday of its week. */
const DAY = startOfDay(NOW);
const END = DAY + DAY_MS;
const MONDAY = DAY - 5 * DAY_MS;

const world = usePerFile(startRollupWorld);
let actor: Actor;
let organizations = 0;
beforeAll(async () => {
  const others = ["securityAlerts", "syncRuns", "circuits", "connections", "reports"] as const;
  await world.engine.createTables(...others.map(tableDefinition));
  actor = world.actor();
});

const newOrganization = () => `organization #${++organizations}`;

const rule = { enabled: true, thresholds: {}, known: { networks: [], users: [] }, revision: 1 };
const mutes = [muteAt(DAY), muteAt(DAY - HOUR_MS)];
/** A list of one mute a page. */
const pageOfMutes = (after: string | undefined) => {
  const index = mutes.findIndex(({ id }) => id === after) + 1;
  return { items: mutes.slice(index, index + 1), next: index + 1 < mutes.length ? mutes[index]?.id : undefined };
};

const evidence = {
  readLastDrill: async (_: string, before: number) => drillAt(before - HOUR_MS),
  readIntegrity: async () => ({ log: "not_sealed" as const, text: "No hour of the period is sealed." }),
};

const stores = () => {
  const client = world.engine.documentClient();
  const alertOptions = { retentionDays: RETENTION_DAYS, random: () => randomBytes(16) };
  const shared = {
    runs: createSyncRunStore(createTable(client, "syncRuns")),
    alerts: createAlertStore(createTable(client, "securityAlerts")),
    connections: createConnectionStore(createTable(client, "connections")),
    retentionDays: RETENTION_DAYS,
  };
  const periodEvents = createPeriodEventsStore(createTable(client, "securityEvents"));
  const { openHours, rollups, counts, events } = actor;
  const reports = createReportStore(createTable(client, "reports"), { retentionDays: RETENTION_DAYS });
  return {
    client,
    periodEvents,
    raising: createAlertRaisingStore(createTable(client, "securityAlerts"), alertOptions),
    ends: createSyncEndStore(createTable(client, "syncRuns"), { retentionDays: RETENTION_DAYS }),
    compliance: createComplianceCollector({
      ...shared,
      events: periodEvents,
      erasures: { list: async () => ({ items: [], next: undefined }) },
      mutes: { list: async (_, { after }) => pageOfMutes(after) },
      rules: { read: async () => ({ system_errors: { ...rule, enabled: false }, rate_limit_violations: rule }) },
      ...evidence,
    }),
    month: createMonthCollector({
      ...shared,
      events: periodEvents,
      counts: { openHours, rollups, events: counts },
      mutes: { list: async (_, { after }) => pageOfMutes(after) },
      rules: { read: async () => ({ system_errors: { ...rule, enabled: false } }) },
      reports,
      ...evidence,
    }),
    reports,
    review: createReviewCollector({
      ...shared,
      events,
      periodEvents,
      counts: { openHours, rollups, events: counts },
      circuits: createCircuitStore(createTable(client, "circuits")),
    }),
  };
};

const event = (organizationId: string, fields: Partial<NewSecurityEvent> = {}): NewSecurityEvent =>
  ({
    organizationId,
    eventType: "DATA_READ",
    category: "data_access",
    riskLevel: "LOW",
    source: "user",
    userId: "ada",
    action: "read_invoices",
    success: true,
    ...fields,
  }) as NewSecurityEvent;

const denial = (organizationId: string, riskLevel: "HIGH" | "CRITICAL" = "HIGH") =>
  event(organizationId, { eventType: "PERMISSION_DENIED", category: "authorization", success: false, riskLevel });

const transitionEvent = (organizationId: string, generation: number, from: string, to: string) =>
  event(organizationId, {
    eventType: "CIRCUIT_BREAKER_CHANGED",
    category: "system",
    riskLevel: "HIGH",
    source: "system",
    metadata: { generation, from, to, cause: "force_open" },
  });

describe("the input of a compliance report", () => {
  it("has the organization's events of the day, from its first to its last millisecond", async () => {
    const [acme, other] = [newOrganization(), newOrganization()];
    const recorder = actor.recorder();
    for (const timestamp of [DAY - 1, DAY, DAY + HOUR_MS, END - 1, END])
      await recorder.record(event(acme), { timestamp });
    await recorder.record(event(other, { userId: "eve" }), { timestamp: DAY });
    const { day, oldestEvent } = await stores().compliance(acme, periodOf("compliance", DAY), END + HOUR_MS);
    expect(day.events.total).toBe(3);
    expect(day.users).toEqual([{ userId: "ada", calls: 3, refusals: 0, reads: { invoices: 3 } }]);
    expect(oldestEvent?.timestamp).toBe(DAY - 1);
  });

  it("counts the high-risk events that were unprocessed at the day's end, even if they were processed since", async () => {
    const acme = newOrganization();
    const recorder = actor.recorder();
    const ids: string[] = [];
    for (const timestamp of [DAY - 3 * DAY_MS, DAY + 1, DAY + 2, DAY + 3]) {
      const recorded = await recorder.record(denial(acme), { timestamp });
      ids.push(recorded?.id ?? "");
    }
    await recorder.record(denial(acme, "CRITICAL"), { timestamp: DAY + 4 });
    await recorder.record(denial(acme), { timestamp: END });
    await recorder.record(event(acme, { riskLevel: "MEDIUM" }), { timestamp: DAY });
    await actor.events.markProcessed(acme, [ids[1] ?? ""], END - 1);
    await actor.events.markProcessed(acme, [ids[2] ?? ""], END);
    const { periodEvents } = stores();
    expect(await periodEvents.countUnprocessed(acme, END, END + HOUR_MS)).toBe(4);
    expect(await periodEvents.countUnprocessed(acme, DAY, END + HOUR_MS)).toBe(1);
    const whenTheFirstHasExpired = DAY - 3 * DAY_MS + HOUR_MS + RETENTION_DAYS * DAY_MS;
    expect(await periodEvents.countUnprocessed(acme, END, whenTheFirstHasExpired)).toBe(3);
  });

  it("has the runs that began on the day, the last comparison before its end, and the last success", async () => {
    const acme = newOrganization();
    const { ends, compliance, client } = stores();
    const compared = comparedRunAt(DAY - 3 * DAY_MS);
    const runs = [compared, runAt(DAY - 1), runAt(DAY), runAt(END - 1), comparedRunAt(END)];
    for (const run of runs) await ends.decide(acme, run);
    await client.send(
      new PutCommand({
        TableName: "syncRuns",
        Item: { scope: organizationKey(acme), key: "state", lastSuccessAt: END + 5 },
      }),
    );
    const input = await compliance(acme, periodOf("compliance", DAY), END + HOUR_MS);
    expect(input.runs.map(({ startedAt }) => startedAt)).toEqual([END - 1, DAY]);
    expect(input.comparedRun).toEqual(compared);
    expect(input.lastSuccessAt).toBe(END + 5);
    expect(input.connection).toBe("disconnected");
  });

  it("has the mutes of all pages, and the rules that are off", async () => {
    const input = await stores().compliance(newOrganization(), periodOf("compliance", DAY), END + HOUR_MS);
    expect(input.mutes).toEqual(mutes);
    expect(input.rulesOff).toEqual(["system_errors"]);
  });

  it("has open alerts, however old they are", async () => {
    const acme = newOrganization();
    const { raising, compliance } = stores();
    await raising.raise(acme, reasonAt(DAY - 40 * DAY_MS, { subject: "old" }), DAY - 40 * DAY_MS);
    await raising.raise(acme, reasonAt(DAY + HOUR_MS, { subject: "new" }), DAY + HOUR_MS);
    const { alerts } = await compliance(acme, periodOf("compliance", DAY), END + HOUR_MS);
    expect(alerts.map(({ subject }) => subject).sort()).toEqual(["new", "old"]);
  });
});

describe("the statistics of days", () => {
  it("equal the counts of the events, whichever hours are closed", async () => {
    const hours = 35 * 24;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: hours - 1 }), fc.boolean()), { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 30 }),
        async (some, closedUpTo) => {
          const acme = newOrganization();
          const from = END - 35 * DAY_MS;
          const recorder = actor.recorder();
          const expected = new Map<number, number>();
          world.time.now = END + HOUR_MS;
          for (const [index, [hour, isDenial]] of some.entries()) {
            const timestamp = from + hour * HOUR_MS + index;
            await recorder.record(isDenial ? denial(acme) : event(acme), { timestamp });
            const day = startOfDay(timestamp);
            expected.set(day, (expected.get(day) ?? 0) + 1);
            if (index !== closedUpTo) continue;
            world.time.now += HOUR_MS;
            await actor.close();
          }
          const { openHours, rollups, counts } = actor;
          const days = await countDays({ openHours, rollups, events: counts }, acme, { from, to: END }, world.time.now);
          const counted = [...days].map(
            ([day, counters]) => [day, counters.reduce((sum, one) => sum + one.events, 0)] as const,
          );
          expect(new Map(counted)).toEqual(expected);
        },
      ),
      { numRuns: depth(4, 15) },
    );
  });

  it("leave out expired days and the expired part of a day", async () => {
    const acme = newOrganization();
    const recorder = actor.recorder();
    const first = DAY + 90 * DAY_MS;
    world.time.now = first + HOUR_MS;
    for (const hour of [0, 5, 30]) await recorder.record(event(acme), { timestamp: first + hour * HOUR_MS });
    world.time.now = first + 3 * DAY_MS;
    await actor.close();
    const { openHours, rollups, counts } = actor;
    const count = async (now: number) =>
      [
        ...(
          await countDays({ openHours, rollups, events: counts }, acme, { from: first, to: first + 2 * DAY_MS }, now)
        ).values(),
      ].map((counters) => counters.reduce((sum, one) => sum + one.events, 0));
    const gone = first + HOUR_MS + RETENTION_DAYS * DAY_MS;
    expect([await count(gone - 1), await count(gone), await count(gone + 6 * HOUR_MS)]).toEqual([[2, 1], [1, 1], [1]]);
    world.time.now = NOW;
  });
});

describe("the input of a review", () => {
  it("has five weeks of statistics, alerts and runs, and the circuit's transitions with the one before", async () => {
    const acme = newOrganization();
    const { ends, raising, review } = stores();
    const recorder = actor.recorder();
    const from = MONDAY - 28 * DAY_MS;
    const to = MONDAY + 7 * DAY_MS;
    world.time.now = to + MINUTE_MS;
    for (const timestamp of [from - 1, from, to - 1, to]) {
      await recorder.record(event(acme), { timestamp });
      await ends.decide(acme, runAt(timestamp));
    }
    const steps = [from - 5 * DAY_MS, from - 2 * DAY_MS, MONDAY, to - 1, to];
    for (const [index, timestamp] of steps.entries()) {
      const [before, after] = index % 2 === 0 ? ["closed", "forced_open"] : ["forced_open", "closed"];
      await recorder.record(transitionEvent(acme, index + 1, before ?? "", after ?? ""), { timestamp });
    }
    await raising.raise(acme, reasonAt(from, { subject: "new" }), from);
    const input = await review(acme, periodOf("review", MONDAY), to + 31 * MINUTE_MS);
    expect(input.knownFrom).toBe(from);
    expect([...input.days.keys()].sort()).toEqual([from, MONDAY, to - DAY_MS]);
    expect(input.runs.map(({ startedAt }) => startedAt)).toEqual([to - 1, from]);
    expect(input.transitions.map(({ generation }) => generation)).toEqual(expect.arrayContaining([4, 3, 2]));
    expect(input.transitions.some(({ generation }) => generation === 5)).toBe(false);
    expect(input.alerts).toHaveLength(1);
    expect(input.unprocessedHighRiskEvents).toBe(4);
    expect(input.hold).toBeUndefined();
    world.time.now = NOW;
  });

  it("begins with the first week that is still stored completely", async () => {
    const { client, review } = stores();
    const week = periodOf("review", MONDAY);
    const withRetention = (retentionDays: number) =>
      createReviewCollector({
        retentionDays,
        events: actor.events,
        periodEvents: createPeriodEventsStore(createTable(client, "securityEvents")),
        counts: { openHours: actor.openHours, rollups: actor.rollups, events: actor.counts },
        circuits: createCircuitStore(createTable(client, "circuits")),
        runs: createSyncRunStore(createTable(client, "syncRuns")),
        alerts: createAlertStore(createTable(client, "securityAlerts")),
        connections: createConnectionStore(createTable(client, "connections")),
      });
    const acme = newOrganization();
    await actor.recorder().record(event(acme), { timestamp: MONDAY - 60 * DAY_MS });
    const known = async (retentionDays: number) =>
      (week.from - (await withRetention(retentionDays)(acme, week, week.to + HOUR_MS)).knownFrom) / DAY_MS;
    expect([
      await known(90),
      await known(35),
      await known(22),
      await known(21),
      await known(7),
      await known(1),
    ]).toEqual([28, 21, 14, 7, 0, 0]);
    expect((await review("nobody", week, week.to + HOUR_MS)).days.size).toBe(0);
  });

  it("begins with the first week in which the organization existed from its Monday on", async () => {
    const week = periodOf("review", MONDAY);
    const { review, ends, raising, client } = stores();
    const weeksBefore = async (acme: string) =>
      (week.from - (await review(acme, week, week.to + HOUR_MS)).knownFrom) / (7 * DAY_MS);
    const since = async (timestamp: number) => {
      const acme = newOrganization();
      await actor.recorder().record(event(acme), { timestamp });
      return weeksBefore(acme);
    };
    const monday = MONDAY - 7 * DAY_MS;
    expect(await since(MONDAY + DAY_MS)).toBe(0);
    expect(await since(monday + DAY_MS)).toBe(0);
    expect(await since(monday + DAY_MS - 1)).toBe(1);
    expect(await since(monday - 1)).toBe(1);
    expect(await since(MONDAY - 80 * DAY_MS)).toBe(4);
    expect(await weeksBefore(newOrganization())).toBe(0);

    const [synced, alerted, connected] = [newOrganization(), newOrganization(), newOrganization()];
    await ends.decide(synced, runAt(monday));
    await raising.raise(alerted, reasonAt(monday), monday);
    await client.send(
      new PutCommand({
        TableName: "connections",
        Item: {
          id: organizationKey(connected),
          status: "connected",
          method: "api_key",
          connectionId: "c",
          accountId: "acct_1",
          connectedAt: MONDAY - 14 * DAY_MS,
          credentials: new Uint8Array([1]),
          credentialsVersion: "v",
        },
      }),
    );
    expect([await weeksBefore(synced), await weeksBefore(alerted), await weeksBefore(connected)]).toEqual([1, 1, 2]);
  });

  if (isDeep)
    it("costs a few units if the hours are closed", async () => {
      const acme = newOrganization();
      const recorder = actor.recorder();
      world.time.now = END + HOUR_MS;
      for (let day = 0; day < 35; day++) {
        for (let n = 0; n < 4; n++)
          await recorder.record(event(acme), { timestamp: END - (day + 1) * DAY_MS + n * HOUR_MS });
      }
      world.time.now += HOUR_MS;
      await actor.close();
      const { openHours, rollups, counts, client } = actor;
      const span = { from: END - 35 * DAY_MS, to: END };
      const { read } = await countUnits(client)(() =>
        countDays({ openHours, rollups, events: counts }, acme, span, world.time.now),
      );
      expect(read).toBeLessThanOrEqual(3);
      world.time.now = NOW;
    });
});

describe("the input of a month's report", () => {
  const NOVEMBER = periodOf("month", DAY);

  it("has the sums of its days, its daily and weekly reports, what is switched off, and the last drill", async () => {
    const { month, reports } = stores();
    const acme = newOrganization();
    const recorder = actor.recorder();
    world.time.now = NOVEMBER.to + 2 * HOUR_MS;
    await recorder.record(event(acme), { timestamp: NOVEMBER.from });
    await recorder.record(denial(acme), { timestamp: DAY });
    await recorder.record(event(acme), { timestamp: NOVEMBER.to - 1 });
    await recorder.record(event(acme), { timestamp: NOVEMBER.to });
    for (const from of [NOVEMBER.from - DAY_MS, NOVEMBER.from, DAY, NOVEMBER.to - DAY_MS, NOVEMBER.to]) {
      const period = periodOf("compliance", from);
      await reports.put(acme, { ...sampleCompliance({ period }), id: reportId(period) }, 0);
    }
    const input = await month(acme, NOVEMBER, world.time.now);
    const sums = [...input.days].map(([from, counters]) => [from, counters.reduce((sum, one) => sum + one.events, 0)]);
    expect(sums.sort()).toEqual([
      [NOVEMBER.from, 1],
      [DAY, 1],
      [NOVEMBER.to - DAY_MS, 1],
    ]);
    expect(input.reports.map(({ id }) => id)).toEqual([
      "compliance-2026-11-30",
      "compliance-2026-11-21",
      "compliance-2026-11-01",
    ]);
    expect(input).toMatchObject({
      unprocessedHighRiskEvents: 1,
      rulesOff: ["system_errors"],
      mutes,
      lastDrill: drillAt(NOVEMBER.to - HOUR_MS),
      connection: "disconnected",
      key: undefined,
      integrity: { log: "not_sealed" },
    });
    world.time.now = NOW;
  });
});

describe("erasures of an organization", () => {
  it("are read page by page, without the users whose data is erased", async () => {
    const all = Array.from({ length: 250 }, (_, n) => ({
      id: String(n),
      status: "running",
      requestedAt: n,
      dueAt: n,
      userId: "eve",
    }));
    const list: Parameters<typeof readErasures>[0]["list"] = async (_, { limit, after }) => {
      const start = after === undefined ? 0 : Number(after.id) + 1;
      const items = all.slice(start, start + limit);
      const last = items.at(-1);
      return { items, next: last === undefined || start + limit >= all.length ? undefined : { id: last.id } };
    };
    const found = await readErasures({ list }, "acme");
    expect(found).toHaveLength(250);
    expect(JSON.stringify(found)).not.toContain("eve");
  });
});
