import { describe, expect, it } from "@jest/globals";
import { MAX_REPORT_BYTES } from "../../../shared/reports/build-report.ts";
import { createEraseReportsStore } from "../../../shared/reports/erase.ts";
import { periodOf, periodOfReportId, reportId, reportKinds } from "../../../shared/reports/period.ts";
import type { Report, ReportPosition } from "../../../shared/reports/report.ts";
import { createReportDueStore, type DueReport } from "../../../shared/reports/report-due-store.ts";
import { createReportReviewStore } from "../../../shared/reports/report-review-store.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { countUnits } from "../../support/consumed-units.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { useDatabase } from "../../support/use-table.ts";
import { complianceInput, MONDAY, SATURDAY, sampleCompliance, sampleReview } from "./samples.ts";

const TABLE = "reports";
const RETENTION_DAYS = 90;

const database = useDatabase(TABLE);
let organizations = 0;

const newOrganization = () => `organization #${++organizations}`;
const stores = () => {
  const client = database.running().documentClient();
  const table = database.table(TABLE, client);
  return {
    client,
    ...createReportStore(table, { retentionDays: RETENTION_DAYS }),
    reviews: createReportReviewStore(table, { retentionDays: RETENTION_DAYS }),
    due: createReportDueStore(table),
    erase: createEraseReportsStore(table),
  };
};
type Stores = ReturnType<typeof stores>;

const reportOf = (id: string, createdAt?: number): Report => {
  const period = periodOfReportId(id);
  if (period === undefined) throw new Error(`${id} is no report's id.`);
  const changes = { period, createdAt: createdAt ?? period.to + HOUR_MS };
  return period.kind === "compliance"
    ? sampleCompliance(changes)
    : sampleReview({ ...changes, knownFrom: period.from });
};

const now = SATURDAY + 10 * DAY_MS;

const listAll = async ({ list }: Stores, organizationId: string, limit: number, at = now): Promise<string[]> => {
  const ids: string[] = [];
  let after: ReportPosition | undefined;
  do {
    const { items, next } = await list(organizationId, { limit, after, now: at });
    expect(items.length).toBeLessThanOrEqual(limit);
    // A page that has exactly `limit` reports is the last one if there are no more.
    if (after !== undefined) expect(items).not.toEqual([]);
    ids.push(...items.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  return ids;
};

describe("a report", () => {
  it("is stored once for its period", async () => {
    const { put, get, has } = stores();
    const acme = newOrganization();
    const report = reportOf("compliance-2026-11-21");
    expect(await has(acme, report)).toBe(false);
    const results = await Promise.all(
      [1, 2, 3].map((n) => put(acme, { ...report, createdAt: report.createdAt + n }, 0)),
    );
    expect(results.sort()).toEqual(["exists", "exists", "stored"]);
    expect(await put(acme, report, 0)).toBe("exists");
    const stored = await get(acme, report, now);
    expect({ ...stored, createdAt: 0 }).toEqual({ ...report, createdAt: 0 });
    expect(await has(acme, report)).toBe(true);
  });

  it("is visible to its organization only", async () => {
    const { put, get } = stores();
    const acme = newOrganization();
    await put(acme, reportOf("compliance-2026-11-21"), 0);
    expect(await get(newOrganization(), { kind: "compliance", from: SATURDAY }, now)).toBeUndefined();
    expect(await get(acme, { kind: "review", from: SATURDAY }, now)).toBeUndefined();
  });

  it("is kept as long as the events of its period", async () => {
    const all = stores();
    const acme = newOrganization();
    const report = reportOf("compliance-2026-11-21");
    await all.put(acme, report, 0);
    const expiresAt = report.to + RETENTION_DAYS * DAY_MS;
    expect(await all.get(acme, report, expiresAt - 1)).toBeDefined();
    expect(await all.get(acme, report, expiresAt)).toBeUndefined();
    expect(await listAll(all, acme, 10, expiresAt - 1)).toHaveLength(1);
    expect(await listAll(all, acme, 10, expiresAt)).toHaveLength(0);
  });

  it.each(["x", "é", "€", "🌱", '"', "\u0000"])("can have the maximum size in characters %j", async (character) => {
    const { put, get } = stores();
    const users = Array.from({ length: 900 }, (_, n) => ({
      userId: `${character.repeat(128)}${n}`,
      calls: n,
      reads: { [character.repeat(128)]: 1 },
      refusals: 0,
    }));
    const changes = Array.from({ length: 900 }, (_, n) => ({
      at: now,
      area: "settings" as const,
      what: "x",
      source: "user" as const,
      eventId: String(n),
      who: character.repeat(128),
      why: character.repeat(512),
      details: character.repeat(500),
    }));
    const report = sampleCompliance({ day: { ...complianceInput().day, users, changes } });
    const bytes = Buffer.byteLength(JSON.stringify(report));
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(MAX_REPORT_BYTES);
    expect(report.access.users.length + report.access.moreUsers).toBe(900);
    expect(report.changes.length + report.moreChanges).toBe(900);
    const acme = newOrganization();
    expect(await put(acme, report, 0)).toBe("stored");
    expect(await get(acme, report, now)).toEqual(report);
  });
});

describe("the list of reports", () => {
  it("has the latest period first; of two with the same end, the one made last", async () => {
    const all = stores();
    const acme = newOrganization();
    for (const id of ["review-2026-11-16", "compliance-2026-11-20", "compliance-2026-11-22", "review-2026-11-09"]) {
      await all.put(acme, reportOf(id), 0);
    }
    await all.put(acme, reportOf("compliance-2026-11-15", MONDAY + 2 * HOUR_MS), 0);
    for (const limit of [1, 2, 3, 50]) {
      expect(await listAll(all, acme, limit)).toEqual([
        "compliance-2026-11-22",
        "review-2026-11-16",
        "compliance-2026-11-20",
        "compliance-2026-11-15",
        "review-2026-11-09",
      ]);
    }
  });

  it("shows every report once, for any reports and page size", async () => {
    const all = stores();
    const period = fc.tuple(fc.constantFrom(...reportKinds), fc.integer({ min: 0, max: 60 }));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(period, { maxLength: 25 }),
        fc.integer({ min: 1, max: 7 }),
        async (some, limit) => {
          const acme = newOrganization();
          const ids = new Set(some.map(([kind, day]) => reportId(periodOf(kind, MONDAY - day * DAY_MS))));
          for (const id of ids) await all.put(acme, reportOf(id), 0);
          const listed = await listAll(all, acme, limit, MONDAY + DAY_MS);
          expect(new Set(listed)).toEqual(ids);
          expect(listed).toHaveLength(ids.size);
          const ends = listed.map((id) => periodOfReportId(id)?.to ?? 0);
          expect(ends).toEqual([...ends].sort((a, b) => b - a));
        },
      ),
      { numRuns: depth(5, 25) },
    );
  });

  it("costs the same for reports of any size", async () => {
    const all = stores();
    const acme = newOrganization();
    for (let day = 1; day <= 20; day++)
      await all.put(acme, reportOf(reportId(periodOf("compliance", MONDAY - day * DAY_MS))), 0);
    const { read } = await countUnits(all.client)(() => all.list(acme, { limit: 50, after: undefined, now }));
    expect(read).toBeLessThanOrEqual(4);
  });
});

const marksOf = async ({ due }: Stores, organizationId: string): Promise<DueReport[]> => {
  const found: DueReport[] = [];
  for await (const one of due.listAll()) if (one.scope === organizationKey(organizationId)) found.push(one);
  return found;
};

describe("marks of reports that are due", () => {
  it("are of a day, its week and its month, once each", async () => {
    const all = stores();
    const acme = newOrganization();
    const scope = organizationKey(acme);
    for (const hour of [0, 5, 23]) await all.due.markReportsDue(scope, SATURDAY + hour * HOUR_MS);
    await all.due.markReportsDue(scope, SATURDAY - DAY_MS);
    const ids = (await marksOf(all, acme)).map(({ period }) => reportId(period));
    expect(ids).toEqual(["compliance-2026-11-20", "compliance-2026-11-21", "month-2026-11", "review-2026-11-16"]);
    const one = { scope, period: periodOf("compliance", SATURDAY) };
    await all.due.clear(one, { token: (await all.due.read(one))?.token ?? "" });
    expect(await marksOf(all, acme)).toHaveLength(3);
    expect(await all.due.read(one)).toBeUndefined();
  });

  it("stay if they were set again after they were read", async () => {
    const { due } = stores();
    const one = { scope: organizationKey(newOrganization()), period: periodOf("compliance", SATURDAY) };
    await due.markReportsDue(one.scope, SATURDAY);
    const read = await due.read(one);
    expect(read?.expiresAt).toBe(SATURDAY + 30 * DAY_MS);
    await due.markReportsDue(one.scope, SATURDAY);
    await due.clear(one, { token: read?.token ?? "" });
    expect(await due.read(one)).toMatchObject({ token: expect.not.stringMatching(`^${read?.token}$`) });
  });

  it("are missing for an organization with neither mark nor report", async () => {
    const all = stores();
    const [acme, made, other] = [newOrganization(), newOrganization(), newOrganization()];
    const periods = [periodOf("compliance", SATURDAY), periodOf("review", SATURDAY)];
    await all.due.mark({ scope: organizationKey(acme), period: periodOf("compliance", SATURDAY) });
    await all.put(made, reportOf("compliance-2026-11-21"), 0);
    const missing = await all.due.unmarked([acme, made, other].map(organizationKey), periods);
    expect(missing.map(({ scope, period }) => [scope, period.kind])).toEqual([
      [organizationKey(acme), "review"],
      [organizationKey(made), "review"],
      [organizationKey(other), "compliance"],
      [organizationKey(other), "review"],
    ]);
  });

  it("include how far the marking of connected organizations is", async () => {
    const { due } = stores();
    expect(await due.readMarking()).toEqual({});
    for (const marking of [
      { current: { day: SATURDAY, after: "acme" } },
      { through: SATURDAY - DAY_MS, current: { day: SATURDAY, after: "acme" } },
      { through: SATURDAY },
    ]) {
      await due.storeMarking(marking);
      expect(await due.readMarking()).toEqual(marking);
    }
  });
});

describe("erasing reports", () => {
  if (isDeep)
    it("deletes only the given reports, with entry and content, and no marks", async () => {
      const all = stores();
      const [acme, other] = [newOrganization(), newOrganization()];
      const periods = Array.from({ length: 30 }, (_, n) => periodOf("compliance", MONDAY - n * DAY_MS));
      for (const period of periods) await all.put(acme, reportOf(reportId(period)), 0);
      await all.put(other, reportOf("compliance-2026-11-21"), 0);
      await all.due.markReportsDue(organizationKey(acme), SATURDAY);
      await all.erase.deleteReports(acme, [...periods, periodOf("review", MONDAY)]);
      expect(await listAll(all, acme, 50)).toEqual([]);
      expect(await all.get(acme, { kind: "compliance", from: MONDAY }, now)).toBeUndefined();
      expect(await listAll(all, other, 50)).toHaveLength(1);
      expect(await marksOf(all, acme)).toHaveLength(3);
    });

  it("finds the reports that mention a user in any text, and no others", async () => {
    const all = stores();
    const acme = newOrganization();
    const day = (day: number) => periodOf("compliance", SATURDAY + day * DAY_MS);
    const quiet = { day: { ...complianceInput().day, users: [], changes: [] }, alerts: [] };
    await all.put(acme, sampleCompliance({ ...quiet, period: day(0) }), 0);
    const { changes } = complianceInput().day;
    const why = "bob asked for it";
    const withReason = changes.slice(0, 1).map((change) => ({ ...change, why }));
    await all.put(acme, sampleCompliance({ ...quiet, period: day(1), day: { ...quiet.day, changes: withReason } }), 0);
    const users = [{ userId: "bob", calls: 1, reads: {}, refusals: 0 }];
    await all.put(acme, sampleCompliance({ ...quiet, period: day(2), day: { ...quiet.day, users } }), 0);
    const bobby = [{ userId: "bobby", calls: 1, reads: {}, refusals: 0 }];
    await all.put(acme, sampleCompliance({ ...quiet, period: day(3), day: { ...quiet.day, users: bobby } }), 0);
    const found = await all.erase.reportsMentioning(acme, ["bob", "192.0.2.7"]);
    expect(found.map(reportId)).toEqual(["compliance-2026-11-22", "compliance-2026-11-23"]);
    await all.erase.replaceReports(acme, found, now);
    expect(await listAll(all, acme, 50)).toEqual(["compliance-2026-11-24", "compliance-2026-11-21"]);
    expect(await all.erase.reportsMentioning(acme, ["bob"])).toEqual([]);
    expect((await marksOf(all, acme)).map(({ period }) => reportId(period))).toEqual(found.map(reportId));
  });

  it("rejects reports that were begun before", async () => {
    const { put, erase, erasedTimes, get } = stores();
    const acme = newOrganization();
    const report = reportOf("compliance-2026-11-21");
    const before = await erasedTimes(acme);
    await erase.invalidateBegun(acme);
    expect(await put(acme, report, before)).toBe("erased");
    expect(await get(acme, report, now)).toBeUndefined();
    expect(await put(acme, report, await erasedTimes(acme))).toBe("stored");
  });
});

describe("the reviews of a report", () => {
  const review = (id: string, by: string) => ({ id, by, at: now, note: `by ${by}` });

  it("are each added once, whatever the order of concurrent requests, and stay when the report is made anew", async () => {
    const organization = newOrganization();
    const { put, get, list, erase, reviews } = stores();
    const report = reportOf("compliance-2026-11-18");
    await put(organization, report, 0);
    const requests = ["a", "b", "c", "a", "b"].map((id) => reviews.add(organization, report, review(id, `user ${id}`)));
    await Promise.all(requests);
    const stored = await reviews.read(organization, report);
    expect(stored.map(({ by }) => by).sort()).toEqual(["user a", "user b", "user c"]);
    const [{ by, at } = { by: "", at: 0 }] = stored;
    const shown = { id: report.id, reviewedBy: by, reviewedAt: at };
    await erase.replaceReports(organization, [report], now);
    await expect(get(organization, report, now)).resolves.toBeUndefined();
    await put(organization, report, 0);
    await expect(get(organization, report, now)).resolves.toMatchObject({ ...shown, reviews: stored });
    await expect(list(organization, { limit: 1, after: undefined, now })).resolves.toMatchObject({ items: [shown] });
  });

  it("are at most 100", async () => {
    const organization = newOrganization();
    const { reviews } = stores();
    const report = reportOf("compliance-2026-11-18");
    for (let i = 0; i < 100; i++) await reviews.add(organization, report, review(`${i}`, "ada"));
    await expect(reviews.add(organization, report, review("0", "ada"))).resolves.toHaveLength(100);
    await expect(reviews.add(organization, report, review("100", "ada"))).rejects.toMatchObject({
      code: "too_many_reviews",
    });
  });

  it("divide a list, page by page", async () => {
    const organization = newOrganization();
    const { put, list, reviews } = stores();
    const days = ["16", "17", "18", "19"].map((day) => reportOf(`compliance-2026-11-${day}`));
    for (const report of days) await put(organization, report, 0);
    for (const report of days.slice(0, 2)) await reviews.add(organization, report, review("a", "ada"));
    const read = async (isReviewed: boolean) => {
      const first = await list(organization, { limit: 1, after: undefined, now, isReviewed });
      const second = await list(organization, { limit: 1, after: first.next, now, isReviewed });
      expect(second.next).toBeUndefined();
      return [...first.items, ...second.items].map(({ id }) => id.slice(-2));
    };
    await expect(read(true)).resolves.toEqual(["17", "16"]);
    await expect(read(false)).resolves.toEqual(["19", "18"]);
  });
});
