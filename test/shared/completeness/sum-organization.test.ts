/** A night of an organization, over stores that remember, with days whose numbers change. */
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { Progress } from "../../../shared/completeness/coverage-store.ts";
import type { DayReading, DaySums, HourNumbers } from "../../../shared/completeness/day-sums.ts";
import { createIncompleteDays } from "../../../shared/completeness/incomplete-days.ts";
import { createSumOrganization } from "../../../shared/completeness/sum-organization.ts";
import type { Alert, AlertTrigger } from "../../../shared/security/alerts/alert.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";
import { quietLog } from "../../support/quiet-log.ts";

const DAY = Date.UTC(2026, 10, 21);
const DAYS = (count: number): number => DAY + count * DAY_MS;
const SCOPE = "org#acme";

const COUNTER = {
  eventType: "DATA_READ",
  category: "system",
  riskLevel: "LOW",
  failures: 0,
  timed: 0,
  totalMicroseconds: 0,
} as const;

quietLog();
const alarms = (): string[] =>
  jest.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)).alarm);

const world = {
  now: 0,
  hour: { recorded: 2, counted: 2, sealed: 2, archived: 2 } as HourNumbers,
  countedToday: new Map<number, number>(),
  isSettled: true,
  fedSince: undefined as number | undefined,
  failsAt: undefined as "alert" | "put" | undefined,
  sums: new Map<number, DaySums>(),
  progress: undefined as Progress | undefined,
  read: [] as number[],
  verified: [] as number[],
  raised: [] as AlertTrigger[],
  resolved: [] as string[],
};
const initial = { ...world };

beforeEach(() => {
  Object.assign(world, initial, { sums: new Map(), countedToday: new Map() });
  Object.assign(world, { read: [], verified: [], raised: [], resolved: [] });
});

const readDay = async ({ day }: { day: number }): Promise<DayReading> => {
  world.read.push(day);
  const hours = new Map([[day + HOUR_MS, world.hour]]);
  return { day, hours, events: new Map([[day + HOUR_MS, world.hour.recorded]]), judged: new Map(), due: [] };
};

const sumOrganization = (archiveMonths: number | undefined = 13) =>
  createSumOrganization({
    sums: {
      listDays: async (_scope, { first, last }) =>
        new Map([...world.sums].filter(([day]) => day >= first && day <= last)),
      putDay: async (_scope, day, sums) => {
        if (world.failsAt === "put") throw new Error("The store fails.");
        world.sums.set(day, sums);
      },
      readProgress: async () => world.progress,
      putProgress: async (_scope, progress) => {
        world.progress = progress;
      },
    },
    rollups: {
      list: async (_scope, kind, { first, last }) =>
        [...world.countedToday]
          .filter(([day]) => kind === "day" && day >= first && day <= last)
          .map(([start, events]) => ({
            period: { kind: "day" as const, start },
            counters: [{ ...COUNTER, events }],
            token: "",
            exactUntil: 1e12,
            expiresAt: 1e12,
          })),
    },
    readDay,
    isSettled: async () => world.isSettled,
    alerts: createIncompleteDays({
      store: {
        raise: async (_organization, trigger) => {
          if (world.failsAt === "alert") throw new Error("The store fails.");
          world.raised.push(trigger);
          return { alert: {} as Alert, change: "raised" };
        },
      },
      publisher: { publish: async () => [] },
      resolve: async (_organization, { subject }) => void world.resolved.push(subject),
      now: () => world.now,
    }),
    findFeedStart: async (_scope, _day, known) => known ?? world.fedSince,
    verifyDay: async (_organization, day) => void world.verified.push(day),
    archiveMonths,
    retentionMs: 90 * DAY_MS,
    now: () => world.now,
  });

/** The night after some days since the log began. */
const pass = (days: number, archiveMonths?: number) => {
  world.now = DAYS(days) + 3 * HOUR_MS;
  for (let day = 0; day < days; day++)
    if (!world.countedToday.has(DAYS(day))) world.countedToday.set(DAYS(day), world.hour.recorded);
  return sumOrganization(archiveMonths)(SCOPE, { night: DAYS(days - 1), logStart: DAY });
};

describe("a night", () => {
  it("sums all days that are over, and is done once", async () => {
    expect(await pass(3)).toEqual({ days: 3, unequal: 0, waiting: 0 });
    expect([...world.sums.keys()]).toEqual([DAYS(0), DAYS(1), DAYS(2)]);
    expect(world.progress).toEqual({ from: DAY, night: DAYS(2) });
    expect(world.verified).toHaveLength(1);
    expect(await pass(3)).toEqual({ days: 0, unequal: 0, waiting: 0 });
    expect(world.read).toHaveLength(3);
  });

  it("sums few days again, and one whose events have become more", async () => {
    await pass(30);
    world.read = [];
    world.countedToday.set(DAYS(4), 3);
    await pass(31);
    expect(world.read).toEqual(expect.arrayContaining([DAYS(4), DAYS(29), DAYS(30)]));
    expect(world.read.length).toBeLessThanOrEqual(4);
  });

  it("sums no day before the log, and none that tables or archive have begun to lose", async () => {
    await pass(120);
    expect(Math.min(...world.read)).toBe(DAYS(31));
    expect(world.progress?.from).toBe(DAYS(31));
    Object.assign(world, { read: [], sums: new Map(), progress: undefined });
    await pass(60, 1);
    expect(Math.min(...world.read)).toBe(Date.UTC(2026, 11, 21));
  });

  it("leaves a day that has work under way to a later run, and is not done before", async () => {
    Object.assign(world, { isSettled: false, hour: { recorded: 3, counted: 2, sealed: 2, archived: 2 } });
    expect(await pass(1)).toEqual({ days: 0, unequal: 0, waiting: 1 });
    expect([world.sums.size, world.progress, world.raised]).toEqual([0, undefined, []]);
    world.hour = { recorded: 3, counted: 3, sealed: 3, archived: 3 };
    expect(await pass(1)).toEqual({ days: 1, unequal: 0, waiting: 0 });
    expect(world.progress).toEqual({ from: DAY, night: DAY });
  });

  it("remembers from when on the feed is compared, and forgets it when the feed is off", async () => {
    world.fedSince = DAY + 5 * HOUR_MS;
    await pass(1);
    expect(world.progress?.fedSince).toBe(DAY + 5 * HOUR_MS);
  });
});

describe("an unequal day", () => {
  const lost: HourNumbers = { recorded: 1, counted: 2, sealed: 2, archived: 2 };

  it("raises one HIGH alert, none for the same numbers again, and is resolved when it is equal", async () => {
    await pass(1);
    world.hour = lost;
    expect(await pass(2)).toMatchObject({ unequal: 2 });
    expect(world.raised).toMatchObject([
      { rule: "evidence_incomplete", subject: "2026-11-21", level: "HIGH", kind: "finding", evidence: { count: 1 } },
      { rule: "evidence_incomplete", subject: "2026-11-22" },
    ]);
    expect(world.raised[0]?.message).toBe(
      "Events of the hour 2026-11-21T01:00Z: 1 recorded, 2 counted, 2 sealed, 2 archived.",
    );
    expect(alarms()).toEqual(["evidence_incomplete", "evidence_incomplete"]);
    world.raised = [];
    await pass(3);
    expect(world.raised.map(({ subject }) => subject)).toEqual(["2026-11-23"]);
    Object.assign(world, { hour: { recorded: 2, counted: 2, sealed: 2, archived: 2 }, resolved: [] });
    await pass(4);
    expect(world.resolved).toEqual(expect.arrayContaining(["2026-11-21", "2026-11-22", "2026-11-23"]));
    expect([...world.sums.values()].map(({ problem }) => problem)).toEqual(Array(4).fill(undefined));
  });

  it.each(["alert", "put"] as const)("is told of after a failure of the %s", async (failsAt) => {
    Object.assign(world, { hour: lost, failsAt });
    await expect(pass(1)).rejects.toThrow("The store fails.");
    expect([world.sums.size, world.progress]).toEqual([0, undefined]);
    world.failsAt = undefined;
    expect(await pass(1)).toMatchObject({ unequal: 1 });
    expect(new Set(world.raised.map(({ occurrence }) => occurrence)).size).toBe(1);
    expect(world.progress).toBeDefined();
  });
});
