import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { createAdvanceClock } from "../../../../infra/local/control/advance-clock.ts";
import { createActivity } from "../../../../infra/local/core/activity.ts";
import { createClock } from "../../../../infra/local/core/clock.ts";
import type { ScheduleModel } from "../../../../infra/local/core/model.ts";
import { createSchedules, type Schedules } from "../../../../infra/local/schedules/schedules.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const running: Schedules[] = [];
afterEach(() => {
  for (const schedules of running.splice(0)) schedules.stop();
});

const scheduleOf = (name: string, expression: string, enabled = true): ScheduleModel => ({
  logicalId: name,
  name,
  arn: `arn:aws:events:eu-central-1:123456789012:rule/${name}`,
  expression,
  enabled,
  targets: [],
});

const startAll = (schedules: ScheduleModel[], work: (name: string) => Promise<void> = async () => {}) => {
  const dataDirectory = newDirectory("clock-");
  const clock = createClock(dataDirectory);
  const activity = createActivity();
  const seen: { name: string; at: number; now: number }[] = [];
  const sweeps: number[] = [];
  const stopping = new AbortController();
  const all = createSchedules({
    schedules,
    dataDirectory,
    clock,
    async fire({ name }, at) {
      seen.push({ name, at, now: clock.now() });
      await work(name);
    },
  });
  running.push(all);
  const advance = createAdvanceClock({
    clock,
    activity,
    schedules: all,
    pollers: [],
    sweepExpired: async (nowMs) => void sweeps.push(nowMs),
    stopping: stopping.signal,
  });
  return { dataDirectory, clock, activity, seen, sweeps, stopping, all, advance };
};

describe("the advanced clock", () => {
  // The machine's time stands still, so that a slow machine moves nothing.
  beforeEach(() => void jest.spyOn(Date, "now").mockReturnValue(Date.UTC(2026, 10, 21, 12, 34, 56)));
  afterEach(() => void jest.restoreAllMocks());

  it("fires a simulated week's schedules in order, each at its due time", async () => {
    const { clock, seen, advance } = startAll([
      scheduleOf("hourly", "cron(0 * * * ? *)"),
      scheduleOf("four-hourly", "rate(4 hours)"),
      scheduleOf("daily", "rate(1 day)"),
      scheduleOf("every-90-minutes", "rate(90 minutes)"),
      scheduleOf("never", "rate(1 minute)", false),
    ]);
    const before = clock.now();
    const { now, fired } = await advance(7 * DAY);
    expect(now).toBeGreaterThanOrEqual(before + 7 * DAY);
    expect(clock.now() - now).toBeLessThan(HOUR);
    expect(fired).toEqual(seen.map(({ name, at }) => ({ name, at })));
    expect(fired.map(({ at }) => at)).toEqual(fired.map(({ at }) => at).toSorted((a, b) => a - b));
    const count = (name: string) => fired.filter((one) => one.name === name).length;
    expect([count("hourly"), count("four-hourly"), count("daily"), count("every-90-minutes"), count("never")]).toEqual([
      168, 42, 7, 112, 0,
    ]);
    for (const one of seen) {
      expect(one.now).toBeGreaterThanOrEqual(one.at);
      expect(one.now - one.at).toBeLessThan(60_000);
    }
  });

  it("advances further only after all work that a schedule caused has finished", async () => {
    const steps: string[] = [];
    const cloud = startAll([scheduleOf("hourly", "rate(1 hour)")], async () => {
      const end = cloud.activity.begin();
      steps.push("begun");
      setTimeout(() => {
        steps.push("ended");
        end();
      }, 20);
    });
    await cloud.advance(3 * HOUR);
    expect(steps).toEqual(["begun", "ended", "begun", "ended", "begun", "ended"]);
  });

  it("waits for requests in flight before it moves", async () => {
    const { activity, clock, advance } = startAll([]);
    const end = await activity.enter();
    const advanced = advance(DAY);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(clock.offsetMs()).toBe(0);
    end();
    await advanced;
    expect(clock.offsetMs()).toBeGreaterThan(DAY - 60_000);
  });

  it("sweeps at least once per simulated day and at the end, also when it advances by 0", async () => {
    const { clock, sweeps, advance } = startAll([]);
    const start = clock.now();
    await advance(5 * DAY + HOUR);
    const gaps = sweeps.map((at, index) => at - (sweeps[index - 1] ?? start));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(DAY + 60_000);
    expect(sweeps.at(-1)).toBeGreaterThanOrEqual(start + 5 * DAY + HOUR);
    expect(await advance(0)).toMatchObject({ fired: [] });
    expect(sweeps).toHaveLength(7);
  });

  it("fires each due schedule once at the end if only the last firing is requested", async () => {
    const { clock, seen, sweeps, all, advance } = startAll([
      scheduleOf("hourly", "cron(0 * * * ? *)"),
      scheduleOf("daily", "rate(1 day)"),
      scheduleOf("yearly", "rate(365 days)"),
      scheduleOf("never", "rate(1 minute)", false),
    ]);
    const end = clock.now() + 91 * DAY;
    const { now, fired } = await advance(91 * DAY, "last");
    expect(now).toBeGreaterThanOrEqual(end);
    expect(fired.map(({ name }) => name)).toEqual(["daily", "hourly"]);
    expect(fired).toEqual(seen.map(({ name, at }) => ({ name, at })));
    for (const { at, now: firedAt } of seen) {
      expect(at).toBeGreaterThanOrEqual(end);
      expect(firedAt).toBeGreaterThanOrEqual(at);
    }
    expect(sweeps).toHaveLength(1);
    const [hourly, daily] = all.list();
    expect((hourly?.nextAt ?? 0) - end).toBeGreaterThan(0);
    expect((hourly?.nextAt ?? 0) - end).toBeLessThanOrEqual(HOUR + 60_000);
    expect((daily?.nextAt ?? 0) - end).toBeLessThanOrEqual(DAY + 60_000);
    expect((await advance(HOUR)).fired.map(({ name }) => name)).toContain("hourly");
  });

  it("fires no schedule that is not due in the interval", async () => {
    const { advance } = startAll([scheduleOf("three-hourly", "rate(3 hours)")]);
    expect((await advance(2 * HOUR, "last")).fired).toEqual([]);
    expect((await advance(2 * HOUR, "last")).fired).toHaveLength(1);
    expect((await advance(1 * HOUR, "last")).fired).toEqual([]);
  });

  it("polls waiting messages at their due times, before schedules of that time fire", async () => {
    const order: string[] = [];
    const { clock, activity, all, sweeps } = startAll([scheduleOf("hourly", "rate(1 hour)")], async () => {
      order.push("fired");
    });
    let visibleAt: number | undefined = clock.now() + 3 * HOUR;
    const advance = createAdvanceClock({
      clock,
      activity,
      schedules: all,
      stopping: new AbortController().signal,
      pollers: [
        {
          nextDueAt: () => visibleAt,
          poll: () => {
            order.push(`polled ${clock.now() - (visibleAt ?? 0) < 60_000}`);
            visibleAt = undefined;
          },
        },
      ],
      sweepExpired: async (nowMs) => void sweeps.push(nowMs),
    });
    await advance(DAY, "last");
    expect(order).toEqual(["polled true", "fired"]);
  });

  it("runs one advance after another", async () => {
    const { clock, advance } = startAll([scheduleOf("hourly", "rate(1 hour)")]);
    const start = clock.now();
    const [first, second] = await Promise.all([advance(2 * HOUR), advance(2 * HOUR)]);
    expect([first.fired.length, second.fired.length]).toEqual([2, 2]);
    expect(clock.now()).toBeGreaterThanOrEqual(start + 4 * HOUR);
  });

  it("stores the offset and the creation times of rate schedules in the data directory", async () => {
    const schedules = [scheduleOf("three-hourly", "rate(3 hours)")];
    const { dataDirectory, clock, all, advance } = startAll(schedules);
    await advance(4 * HOUR);
    const again = createClock(dataDirectory);
    expect(again.offsetMs()).toBe(clock.offsetMs());
    const restarted = createSchedules({ schedules, dataDirectory, clock: again, fire: async () => {} });
    expect(restarted.list()).toEqual(all.list());
  });

  it("stops advancing when the local cloud stops", async () => {
    const cloud = startAll([scheduleOf("hourly", "rate(1 hour)")], async () => cloud.stopping.abort(new Error("over")));
    await expect(cloud.advance(DAY)).rejects.toThrow("over");
    expect(cloud.seen).toHaveLength(1);
  });
});

describe("schedules in real time", () => {
  it("fire when they are due, also after the clock has advanced and beside a schedule in the far future", async () => {
    const { clock, all, seen } = startAll([
      scheduleOf("far", "rate(365 days)"),
      scheduleOf("near", "rate(1 hour)"),
      scheduleOf("off", "rate(1 minute)", false),
    ]);
    clock.moveTo(clock.now() + HOUR - 40);
    all.resume();
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen).toMatchObject([{ name: "near" }]);
    expect(all.list().find(({ name }) => name === "near")?.nextAt).toBeGreaterThan(clock.now());
    expect(all.list().find(({ name }) => name === "off")).toEqual({ name: "off" });
  });

  it("fire once each after the machine has slept", async () => {
    const { clock, all, seen } = startAll([scheduleOf("often", "rate(1 hour)")]);
    clock.moveTo(clock.now() + DAY);
    all.resume();
    while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(seen).toHaveLength(1);
  });

  it("fail with an error that names an invalid expression", () => {
    expect(() => startAll([scheduleOf("bad", "rate(1 fortnight)")])).toThrow("rate(1 fortnight)");
  });
});
