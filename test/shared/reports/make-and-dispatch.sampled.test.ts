import { describe, expect, it, jest } from "@jest/globals";
import { createReportDispatcher } from "../../../shared/reports/dispatch-reports.ts";
import {
  createReportMaker,
  REPORT_DUE_TYPE,
  ReportDue,
  type ReportMakerDependencies,
} from "../../../shared/reports/make-report.ts";
import { periodOf, type ReportKind, reportId, reportKinds } from "../../../shared/reports/period.ts";
import { createReportDueStore } from "../../../shared/reports/report-due-store.ts";
import { createReportStore } from "../../../shared/reports/report-store.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfDay } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { deepIt } from "../../support/deep-it.ts";
import { depth, isDeep, rangeOf } from "../../support/depth.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { tableDefinition } from "../../support/service-tables.ts";
import { useEngine } from "../../support/use-table.ts";
import { complianceInput, MONDAY, monthInput, reviewInput, runAt, SATURDAY } from "./samples.ts";

quietLog();

const engine = useEngine();
let tables = 0;

/** The reports of a service with a bus that queues events, and a clock that the test sets. */
const startWorld = async () => {
  const table = `reports-${++tables}`;
  await engine.createTables({ ...tableDefinition("reports"), TableName: table });
  const client = engine.documentClient();
  const time = { now: SATURDAY + DAY_MS + 31 * MINUTE_MS };
  const reports = createReportStore(createTable(client, table), { retentionDays: 90 });
  const due = createReportDueStore(createTable(client, table));
  const connected = new Map<string, number>();
  const published: BusEvent[] = [];
  const bus = { refuses: (_: BusEvent): boolean => false };
  const quiet = { ...complianceInput().day, events: { ...complianceInput().day.events, total: 0 } };
  const busy = new Set<string>();
  const collectors = {
    collectCompliance: jest.fn<ReportMakerDependencies["collectCompliance"]>(async (organizationId, period, now) =>
      complianceInput({
        period,
        createdAt: now,
        runs: [],
        ...(!busy.has(`${organizationId} ${reportId(period)}`) && { day: quiet }),
      }),
    ),
    collectReview: jest.fn<ReportMakerDependencies["collectReview"]>(async (organizationId, period, now) => {
      const isBusy = busy.has(`${organizationId} ${reportId(period)}`);
      const days = new Map(isBusy ? [[period.from, reviewInput().days.get(MONDAY) ?? []]] : []);
      return reviewInput({ period, createdAt: now, knownFrom: period.from, days, runs: [] });
    }),
    collectMonth: jest.fn<ReportMakerDependencies["collectMonth"]>(async (organizationId, period, now) => {
      const isBusy = busy.has(`${organizationId} ${reportId(period)}`);
      return monthInput({ period, createdAt: now, reports: [], ...(!isBusy && { days: new Map() }) });
    }),
  };
  const announced: BusEvent[] = [];
  const publishTo =
    (taken: BusEvent[]): ReportMakerDependencies["bus"]["publish"] =>
    async (events) => {
      const refused = events.filter(bus.refuses);
      taken.push(...events.filter((event) => !refused.includes(event)));
      return refused.map((event) => ({ event, reason: "no" }));
    };
  const makerParts: ReportMakerDependencies = {
    reports,
    due,
    ...collectors,
    bus: { publish: publishTo(announced) },
    connections: {
      read: async (organizationId) => {
        const connectedAt = connected.get(organizationId);
        if (connectedAt === undefined) return { status: "disconnected" };
        return {
          status: "needs_reconnect",
          method: "api_key",
          accountId: "acct",
          connectionId: "c",
          connectedAt,
          credentialsVersion: "v",
        };
      },
    },
    now: () => time.now,
  };
  const make = createReportMaker(makerParts);
  const dispatch = createReportDispatcher({
    due,
    async *connectedOrganizations() {
      yield* connected.keys();
    },
    bus: { publish: publishTo(published) },
    clock: () => time.now,
    sleep: async () => undefined,
  });
  const marked = async () => {
    const ids: string[] = [];
    for await (const { scope, period } of due.listAll()) ids.push(`${scope} ${reportId(period)}`);
    return ids.sort();
  };
  return {
    time,
    reports,
    due,
    connected,
    published,
    announced,
    bus,
    busy,
    makerParts,
    make,
    dispatch,
    marked,
    ...collectors,
    /** Runs an hour's dispatch, and makes the requested reports. */
    async runHour() {
      const from = published.length;
      const summary = await dispatch(() => 900_000);
      for (const { detail } of published.slice(from)) await make(ReportDue.parse(detail));
      return summary;
    },
    async made(organizationId: string, days: number, since = SATURDAY) {
      const found: string[] = [];
      for (let day = 0; day < days; day++) {
        for (const kind of reportKinds) {
          const period = periodOf(kind, since + day * DAY_MS);
          const id = reportId(period);
          if (!found.includes(id) && (await reports.has(organizationId, period))) found.push(id);
        }
      }
      return found;
    },
  };
};

const dueOn = (kind: ReportKind, time: number, organizationId = "acme"): ReportDue => ({
  version: 1,
  organizationId,
  kind,
  from: periodOf(kind, time).from,
});

describe("making a report", () => {
  it("makes it once, however often it is requested, and removes the mark", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    const results = await Promise.all([1, 2, 3].map(() => world.make(dueOn("compliance", SATURDAY))));
    expect(results.filter(({ isMade }) => isMade)).toHaveLength(1);
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: false });
    expect(await world.marked()).toEqual(["org#acme month-2026-11", "org#acme review-2026-11-16"]);
  });

  it("waits until the period is over and its last events are stored", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    world.time.now = SATURDAY + DAY_MS + 5 * MINUTE_MS - 1;
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: false, isEarly: true });
    expect(world.collectCompliance).not.toHaveBeenCalled();
    world.time.now++;
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: true });
  });

  it("makes a month's report an hour after its last day's, which it lists", async () => {
    const world = await startWorld();
    world.busy.add("acme month-2026-11");
    world.time.now = Date.UTC(2026, 11) + HOUR_MS + 5 * MINUTE_MS - 1;
    expect(await world.make(dueOn("month", SATURDAY))).toEqual({ isMade: false, isEarly: true });
    world.time.now++;
    expect(await world.make(dueOn("month", SATURDAY))).toEqual({ isMade: true });
    expect(await world.make(dueOn("month", SATURDAY))).toEqual({ isMade: false });
    expect(await world.reports.get("acme", { kind: "month", from: Date.UTC(2026, 10) }, world.time.now)).toMatchObject({
      id: "month-2026-11",
      kind: "month",
    });
  });

  it("makes no report of a period without events, runs and connection", async () => {
    const world = await startWorld();
    world.time.now = MONDAY + 16 * DAY_MS;
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    for (const kind of reportKinds) expect(await world.make(dueOn(kind, SATURDAY))).toEqual({ isMade: false });
    expect(await world.made("acme", 1)).toEqual([]);
    expect(await world.marked()).toEqual([]);
  });

  it.each([
    [
      "a connection made before the period's end",
      SATURDAY + DAY_MS - 1,
      ["compliance-2026-11-21", "review-2026-11-16", "month-2026-11"],
    ],
    ["a connection made after the week's end", MONDAY + 7 * DAY_MS, ["month-2026-11"]],
    ["a connection made after the period's end", MONDAY + 15 * DAY_MS, []],
  ])("counts only connections of the period: %s", async (_what, connectedAt, expected) => {
    const world = await startWorld();
    world.time.now = MONDAY + 16 * DAY_MS;
    world.connected.set("acme", connectedAt);
    for (const kind of reportKinds) await world.make(dueOn(kind, SATURDAY));
    expect(await world.made("acme", 1)).toEqual(expected);
  });

  it("makes a report of a period with runs only, if the log level leaves out their events", async () => {
    const world = await startWorld();
    world.collectCompliance.mockImplementationOnce(async (_, period) =>
      complianceInput({ period, runs: [runAt(SATURDAY)], day: { ...complianceInput().day } }),
    );
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: true });
  });

  it("begins again if reports were erased concurrently, and keeps the mark if that is repeated", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    const table = `reports-${tables}`;
    const { createEraseReportsStore } = await import("../../../shared/reports/erase.ts");
    const erase = createEraseReportsStore(createTable(engine.documentClient(), table));
    const collect = world.collectCompliance.getMockImplementation();
    let erasures = 0;
    world.collectCompliance.mockImplementation(async (organizationId, period, now) => {
      if (erasures-- > 0) await erase.invalidateBegun(organizationId);
      if (collect === undefined) throw new Error("There is no collector.");
      return collect(organizationId, period, now);
    });
    erasures = 3;
    await expect(world.make(dueOn("compliance", SATURDAY))).rejects.toThrow("Erasures invalidated the report");
    expect(await world.made("acme", 1)).toEqual([]);
    expect(await world.marked()).toHaveLength(3);
    erasures = 1;
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: true });
    expect(world.collectCompliance).toHaveBeenCalledTimes(5);
  });
});

describe("the event of a new report", () => {
  const made = ({ announced }: Awaited<ReturnType<typeof startWorld>>) =>
    announced.map(({ detailType, detail }) => ({ detailType, ...detail }));
  const day = { kind: "compliance", from: SATURDAY, to: SATURDAY + DAY_MS } as const;

  it("is published at least once: the mark stays until the bus has taken it", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    world.bus.refuses = ({ detailType }) => detailType === "ReportMade";
    await expect(world.make(dueOn("compliance", SATURDAY))).rejects.toThrow("The bus did not take ReportMade");
    expect(await world.made("acme", 1)).toEqual(["compliance-2026-11-21"]);
    expect(await world.marked()).toContain("org#acme compliance-2026-11-21");
    world.bus.refuses = () => false;
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: false });
    expect(made(world)).toEqual([
      { detailType: "ReportMade", version: 1, organizationId: "acme", id: "compliance-2026-11-21", ...day },
    ]);
    expect(await world.marked()).not.toContain("org#acme compliance-2026-11-21");
    await world.make(dueOn("compliance", SATURDAY));
    expect(made(world)).toHaveLength(1);
  });

  it("is not published if there is nothing to report", async () => {
    const world = await startWorld();
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    expect(await world.make(dueOn("compliance", SATURDAY))).toEqual({ isMade: false });
    expect(made(world)).toEqual([]);
  });
});

describe("a report that an erasure has marked again", () => {
  const eraseIn = async (world: Awaited<ReturnType<typeof startWorld>>) => {
    const { createEraseReportsStore } = await import("../../../shared/reports/erase.ts");
    const erase = createEraseReportsStore(createTable(engine.documentClient(), `reports-${tables}`));
    return () => erase.replaceReports("acme", [periodOf("compliance", SATURDAY)], world.time.now);
  };

  it("is made again if the erasure came just after it was stored", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    const replace = await eraseIn(world);
    const overtaken = createReportMaker({
      ...world.makerParts,
      reports: {
        ...world.reports,
        put: async (...report) => {
          const result = await world.reports.put(...report);
          await replace();
          return result;
        },
      },
    });
    await overtaken(dueOn("compliance", SATURDAY));
    expect(await world.made("acme", 1)).toEqual([]);
    await world.runHour();
    expect(await world.made("acme", 1)).toEqual(["compliance-2026-11-21"]);
    expect(await world.marked()).toEqual(["org#acme month-2026-11", "org#acme review-2026-11-16"]);
  });

  it("is made again however old it is, and an expired mark is only removed", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    await world.runHour();
    world.time.now += 60 * DAY_MS;
    await (await eraseIn(world))();
    expect(await world.made("acme", 1)).toEqual([]);
    await world.runHour();
    expect(await world.made("acme", 1)).toEqual(["compliance-2026-11-21"]);
    // The marks of the week and the month, which are 60 days old.
    expect(await world.marked()).toEqual([]);
    expect(world.collectReview).not.toHaveBeenCalled();
  });
});

describe("the hourly dispatch", () => {
  it("requests the reports that detection has marked, when their period is over", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    expect(await world.runHour()).toEqual({ connected: 0, requested: 1, left: 0 });
    expect(world.published).toEqual([
      { source: "integration-security", detailType: REPORT_DUE_TYPE, detail: dueOn("compliance", SATURDAY) },
    ]);
    expect(await world.runHour()).toMatchObject({ requested: 0 });
    world.time.now = MONDAY + 7 * DAY_MS + 31 * MINUTE_MS;
    expect(await world.runHour()).toMatchObject({ requested: 1 });
  });

  it("marks connected organizations, so that they have a report of every day and week without events", async () => {
    const world = await startWorld();
    world.connected.set("acme", SATURDAY - DAY_MS);
    world.time.now = SATURDAY + 31 * MINUTE_MS;
    const days = depth(2, 10);
    for (let hour = 0; hour < 24 * days; hour++) {
      await world.runHour();
      world.time.now += HOUR_MS;
    }
    const reported = rangeOf(days).map((day) => reportId(periodOf("compliance", SATURDAY - DAY_MS + day * DAY_MS)));
    const made = await world.made("acme", 12, SATURDAY - DAY_MS);
    expect(made.filter((id) => id.startsWith("compliance"))).toEqual(reported);
    expect(made.filter((id) => id.startsWith("review"))).toEqual(
      ["review-2026-11-16", "review-2026-11-23"].slice(0, Math.floor(days / 5)),
    );
    // Each day is collected once.
    expect(world.collectCompliance).toHaveBeenCalledTimes(days);
  });

  it("reports the day on which an organization disconnected", async () => {
    const world = await startWorld();
    world.connected.set("acme", SATURDAY - DAY_MS);
    world.time.now = SATURDAY + 31 * MINUTE_MS;
    await world.runHour();
    world.connected.delete("acme");
    world.busy.add("acme compliance-2026-11-21");
    world.time.now = SATURDAY + DAY_MS + 31 * MINUTE_MS;
    await world.runHour();
    expect(await world.made("acme", 1)).toContain("compliance-2026-11-21");
  });

  deepIt("catches up on at most 28 days without the service", async () => {
    const world = await startWorld();
    world.connected.set("acme", SATURDAY - 100 * DAY_MS);
    await world.runHour();
    world.time.now += 40 * DAY_MS;
    await world.runHour();
    await world.runHour();
    const made = await world.made("acme", 60);
    const first = startOfDay(world.time.now) - 28 * DAY_MS;
    expect(made.filter((id) => id.startsWith("compliance"))).toEqual([
      "compliance-2026-11-21",
      ...Array.from({ length: 28 }, (_, day) => reportId(periodOf("compliance", first + day * DAY_MS))),
    ]);
    expect(made.filter((id) => id.startsWith("review"))).toHaveLength(4);
  });

  it("requests reports again that were not made", async () => {
    const world = await startWorld();
    world.busy.add("acme compliance-2026-11-21");
    await world.due.markReportsDue(organizationKey("acme"), SATURDAY);
    world.collectCompliance.mockRejectedValueOnce(new Error("the store is out"));
    await expect(world.runHour()).rejects.toThrow("the store is out");
    await world.runHour();
    expect(await world.made("acme", 1)).toEqual(["compliance-2026-11-21"]);
  });

  if (isDeep)
    it("marks connected organizations again after a crash", async () => {
      const world = await startWorld();
      for (let n = 0; n < 60; n++) world.connected.set(`organization ${n}`, 0);
      const dying = createReportDispatcher({
        due: world.due,
        async *connectedOrganizations() {
          yield* [...world.connected.keys()].slice(0, 30);
          throw new Error("the function died");
        },
        bus: { publish: async () => [] },
        clock: () => world.time.now,
        sleep: async () => undefined,
      });
      await expect(dying(() => 900_000)).rejects.toThrow("died");
      expect(await world.runHour()).toMatchObject({ connected: 60, requested: 60 });
    });

  it("leaves the rest to the next hour if its time is short", async () => {
    const world = await startWorld();
    for (let n = 0; n < 25; n++) await world.due.markReportsDue(organizationKey(`organization ${n}`), SATURDAY);
    let batches = 0;
    const summary = await world.dispatch(() => (batches++ === 0 ? 900_000 : 19_999));
    expect(summary).toEqual({ connected: 0, requested: 5, left: 20 });
    expect(await world.dispatch(() => 900_000)).toMatchObject({ requested: 25, left: 0 });
  });

  it("repeats events that the bus refuses, and fails if it keeps refusing", async () => {
    const world = await startWorld();
    for (let n = 0; n < 12; n++) await world.due.markReportsDue(organizationKey(`organization ${n}`), SATURDAY);
    let refusals = 3;
    world.bus.refuses = ({ detail }) => JSON.stringify(detail).includes("organization 7") && refusals-- > 0;
    expect(await world.dispatch(() => 900_000)).toMatchObject({ requested: 12 });
    expect(world.published).toHaveLength(12);
    world.bus.refuses = () => true;
    await expect(world.dispatch(() => 900_000)).rejects.toThrow("does not take");
  });

  it("requests the oldest reports first", async () => {
    const world = await startWorld();
    world.time.now = MONDAY + 8 * DAY_MS;
    for (const day of [3, 0, 4, 1])
      await world.due.markReportsDue(organizationKey(`organization ${day}`), MONDAY + day * DAY_MS);
    await world.dispatch(() => 900_000);
    const ends = world.published.map(({ detail }) => {
      const { kind, from } = ReportDue.parse(detail);
      return periodOf(kind, from).to;
    });
    expect(ends).toHaveLength(8);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });
});
