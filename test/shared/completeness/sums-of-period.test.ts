import { describe, expect, it } from "@jest/globals";
import type { DaySums, HourNumbers } from "../../../shared/completeness/day-sums.ts";
import { createReadPeriodSums } from "../../../shared/completeness/sums-of-period.ts";
import type { LogState } from "../../../shared/sealing/evidence-item.ts";
import { DAY_MS, HOUR_MS } from "../../../shared/terms/hours.ts";

const FIRST = Date.UTC(2026, 10, 1);
const DAY = (day: number): number => FIRST + (day - 1) * DAY_MS;
const sumsOf = (recorded: number, problem?: string): DaySums => ({
  recorded,
  counted: recorded,
  sealed: recorded,
  archived: recorded,
  notJudged: {},
  rules: {},
  problem,
});

const read = (
  stored: ReadonlyMap<number, DaySums>,
  period: { from: number; to: number },
  { start = FIRST, hour }: { start?: number | undefined; hour?: HourNumbers } = {},
) =>
  createReadPeriodSums({
    evidence: { getState: async () => ({ start }) as LogState },
    sums: {
      listDays: async (_scope, { first, last }) => new Map([...stored].filter(([day]) => day >= first && day <= last)),
      readProgress: async () => undefined,
    },
    readDay: async ({ day }) => ({
      day,
      hours: new Map(hour === undefined ? [] : [[day + HOUR_MS, hour]]),
      events: new Map(),
      judged: new Map(),
      due: [],
    }),
    now: () => period.to + HOUR_MS,
  })("acme", period);

describe("the sums of a report's period", () => {
  const stored = new Map([
    [DAY(1), sumsOf(3)],
    [DAY(2), sumsOf(4)],
  ]);

  it("are the stored ones, and the last day's if they are equal already", async () => {
    const hour = { recorded: 2, counted: 2, sealed: 2, archived: 2 };
    const period = { from: DAY(1), to: DAY(4) };
    expect(await read(stored, period, { hour })).toEqual({ days: 3, recorded: 9, open: 0 });
    expect(await read(stored, period, { hour: { ...hour, sealed: 1 } })).toEqual({ days: 3, recorded: 7, open: 1 });
  });

  it("are open for an earlier day without sums, and leave out days before the log", async () => {
    expect(
      await read(new Map([[DAY(3), sumsOf(1)]]), { from: DAY(1), to: DAY(4) }, { start: DAY(2) + HOUR_MS }),
    ).toEqual({
      days: 2,
      recorded: 1,
      open: 1,
    });
    expect(await read(new Map(), { from: DAY(1), to: DAY(2) }, { start: DAY(9) })).toMatchObject({ days: 0 });
  });

  it("name the first unequal day", async () => {
    const unequal = new Map(stored).set(DAY(1), sumsOf(3, "unequal.")).set(DAY(2), sumsOf(3, "too."));
    expect(await read(unequal, { from: DAY(1), to: DAY(3) })).toMatchObject({ problem: "2026-11-01: unequal." });
  });
});
