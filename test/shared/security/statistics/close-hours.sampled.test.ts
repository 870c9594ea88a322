import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { dayBefore } from "../../../../shared/detection/day-counts.ts";
import type { UnjudgedHour } from "../../../../shared/detection/unjudged-store.ts";
import type { Recorder } from "../../../../shared/security/recorder.ts";
import type { NewSecurityEvent } from "../../../../shared/security/security-event.ts";
import { closeHours } from "../../../../shared/security/statistics/close-hours.ts";
import { openHourShards } from "../../../../shared/security/statistics/open-hour-store.ts";
import { DAY_MS, HOUR_MS, hourName, startOfDay, startOfHour } from "../../../../shared/terms/hours.ts";
import { organizationKey } from "../../../../shared/terms/keys.ts";
import type { RiskLevel } from "../../../../shared/terms/risk-levels.ts";
import { countUnits } from "../../../support/consumed-units.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { depth, rangeOf, sampleOf } from "../../../support/depth.ts";
import { createTurns } from "../../../support/interleaving.ts";
import { HOUR, NOW } from "../../../support/security-events.ts";
import {
  type Actor,
  dieAfter,
  holdUpAt,
  type RollupWorld,
  startRollupWorld,
} from "../../../support/security-rollups.ts";

let world: RollupWorld;
let actor: Actor;
let organizations = 0;
let organizationId: string;

beforeAll(async () => {
  world = await startRollupWorld();
  actor = world.actor();
});
beforeEach(() => {
  organizationId = `organization-${++organizations}`;
  world.time.now = startOfDay(Math.max(world.time.now, NOW)) + 30 * DAY_MS + 12.5 * HOUR;
});
afterAll(() => world.stop());

type NewEvent = NewSecurityEvent & { riskLevel: RiskLevel };

const newEvent = (fields: Partial<NewEvent> = {}): NewEvent => ({
  organizationId,
  eventType: "PROVIDER_REQUEST",
  category: "integration",
  riskLevel: "LOW",
  source: "system",
  success: true,
  metadata: { durationMs: 100 },
  ...fields,
});

/** Records an event for each age in hours. */
const record = async (recorder: Recorder, ages: readonly number[]) => {
  for (const [i, age] of ages.entries()) {
    await recorder.record(
      newEvent({ success: i % 3 > 0, riskLevel: i % 4 === 0 ? "HIGH" : "LOW", metadata: { durationMs: 10 * i } }),
      { timestamp: world.time.now - Math.round(age * HOUR) },
    );
  }
};

const all = (since = 0) => ({ organizationId, since });
const openHours = () => actor.openHours.list(organizationKey(organizationId), 0);
const hoursOf = async (day: number) =>
  actor.rollups.list(organizationKey(organizationId), "hour", { first: day, last: day + DAY_MS - HOUR_MS });
const dayOf = (day: number) => actor.rollups.get(organizationKey(organizationId), { kind: "day", start: day });

/** Reads and clears the marks for detection. */
const marksOf = async ({ unjudged }: Actor) => {
  const marks: UnjudgedHour[] = [];
  for await (const mark of unjudged.listAll()) marks.push(mark);
  for (const mark of marks) await unjudged.clear(mark);
  return marks;
};

const expectExact = async () => {
  for (const since of [0, world.time.now - 26.5 * HOUR]) {
    expect(await actor.count(all(since))).toEqual(world.expected(all(since)));
  }
};

describe("closing hours", () => {
  it("closes an hour five minutes after its end, and counts the hour and its day", async () => {
    world.time.now = startOfDay(world.time.now) + 10 * HOUR;
    const day = startOfDay(world.time.now);
    await record(actor.recorder(), [0, -0.2, -0.9]);
    world.time.now = day + 11 * HOUR + 5 * 60_000 - 1;
    expect(await actor.close()).toEqual({ closed: 0, left: 0, isComplete: true });
    world.time.now += 1;
    expect(await actor.close()).toEqual({ closed: 1, left: 0, isComplete: true });
    expect(await openHours()).toEqual([]);
    const [hour, ...others] = await hoursOf(day);
    expect(others).toEqual([]);
    expect(hour).toMatchObject({
      period: { start: day + 10 * HOUR },
      expiresAt: (day + 90 * DAY_MS + 11 * HOUR) / 1000,
    });
    expect(hour?.counters.map(({ riskLevel, events }) => [riskLevel, events])).toEqual([
      ["HIGH", 1],
      ["LOW", 2],
    ]);
    expect(await dayOf(day)).toMatchObject({ counters: hour?.counters });
    await expectExact();
    expect(await actor.close()).toEqual({ closed: 0, left: 0, isComplete: true });
  });

  it("leaves an hour alone for five minutes after a late event marked it, and then counts it again", async () => {
    await record(actor.recorder(), [3, 30]);
    world.time.now += 6 * 60_000;
    expect(await actor.close()).toMatchObject({ closed: 2 });
    await record(actor.recorder(), [3, 3.01, 31]);
    await expectExact();
    world.time.now += 4 * 60_000;
    expect(await actor.close()).toMatchObject({ closed: 0 });
    await expectExact();
    world.time.now += 60_000;
    expect((await actor.close()).left).toBe(0);
    expect(await openHours()).toEqual([]);
    await expectExact();
  });

  it("closes open hours of any age, and those of events without an organization", async () => {
    const stranger = { eventType: "AUTHENTICATION_FAILURE", category: "authentication", riskLevel: "HIGH" } as const;
    const { organizationId: _, ...nobody } = newEvent({ ...stranger, ipAddress: "192.0.2.7", success: false });
    const recorder = actor.recorder();
    const moment = world.time.now - 20 * DAY_MS;
    await recorder.record(nobody, { timestamp: moment });
    await record(recorder, [15 * 24, 20 * 24]);
    world.time.now += 6 * 60_000;
    expect(await actor.close()).toEqual({ closed: 3, left: 0, isComplete: true });
    const [event] = world.stored.filter(({ event: { ipAddress } }) => ipAddress === "192.0.2.7");
    expect(event).toBeDefined();
    const scopes = Array.from({ length: 16 }, (_unused, i) => `none#${i}`);
    const days = await Promise.all(
      scopes.map((scope) => actor.rollups.get(scope, { kind: "day", start: startOfDay(moment) })),
    );
    expect(days.flatMap((day) => day?.counters ?? [])).toEqual([
      { ...stranger, events: 1, failures: 1, timed: 1, totalMicroseconds: 100_000 },
    ]);
    await expectExact();
  });

  it("lists the open hours of one shard, or of all", async () => {
    for (let n = 0; n < 12; n++) await actor.openHours.markHourOpen(`org#many-${n}`, hourName(world.time.now));
    const scopesOf = async (shard?: string) => {
      const scopes: string[] = [];
      for await (const { scope } of actor.openHours.listAll(world.time.now, shard)) scopes.push(scope);
      return scopes.sort();
    };
    const perShard = await Promise.all(openHourShards.map(scopesOf));
    expect(perShard.flat().sort()).toEqual(await scopesOf());
    expect(perShard.filter((scopes) => scopes.some((scope) => scope.includes("many"))).length).toBeGreaterThan(1);
    for await (const one of actor.openHours.listAll(world.time.now)) await actor.openHours.clear(one);
  });

  it("stops when time runs short, and the next run continues", async () => {
    await record(actor.recorder(), [2, 3, 4, 5, 6, 7]);
    world.time.now += 6 * 60_000;
    let calls = 0;
    const { closed, isComplete } = await actor.close(() => (++calls > 3 ? 19_999 : 20_000));
    expect({ closed, isComplete }).toEqual({ closed: 3, isComplete: false });
    await expectExact();
    expect(await actor.close()).toEqual({ closed: 3, left: 0, isComplete: true });
    await expectExact();
  });

  it("costs six write units with the mark for detection and four and a half read units, in addition to its events", async () => {
    await actor.close();
    const measured = world.actor();
    const measure = countUnits(measured.client);
    const marked = await measure(() =>
      measured.openHours.markHourOpen(organizationKey(organizationId), "2026-11-21T10"),
    );
    expect(marked).toEqual({ read: 0, write: 2 });
    world.time.now += 6 * 60_000;
    await actor.close();
    await record(actor.recorder(), [2.1]);
    world.time.now += 6 * 60_000;
    const looking = 8 * 0.5;
    expect(await measure(() => measured.close())).toEqual({ read: looking + 4 + 0.5, write: 4 + 2 });
    expect(await measure(() => measured.close())).toEqual({ read: looking, write: 0 });
  });

  it("marks each hour for detection before removing its marker, all events without an organization as one", async () => {
    await marksOf(actor);
    await record(actor.recorder(), [2, 3]);
    const { organizationId: _, ...nobody } = newEvent({ success: false });
    for (const ipAddress of ["192.0.2.7", "192.0.2.8", "192.0.2.9"]) {
      await actor.recorder().record({ ...nobody, ipAddress }, { timestamp: world.time.now - 2 * HOUR });
    }
    world.time.now += 6 * 60_000;
    expect((await actor.close()).left).toBe(0);
    const hour = startOfHour(world.time.now - 6 * 60_000 - 2 * HOUR);
    const expected = [
      { scope: "none", hour },
      { scope: organizationKey(organizationId), hour: hour - HOUR },
      { scope: organizationKey(organizationId), hour },
    ].map((mark) => ({ ...mark, of: "events" }));
    const marks = await marksOf(actor);
    expect(marks).toHaveLength(expected.length);
    expect(marks).toEqual(expect.arrayContaining(expected));
  });

  it("does not mark an hour for detection that was judged and finished", async () => {
    await marksOf(actor);
    const hour = startOfHour(world.time.now - 2 * HOUR);
    const scope = organizationKey(organizationId);
    const window = {
      hour,
      judgedAt: world.time.now,
      rules: {},
      eventsRead: 1,
      findings: [],
      carried: [],
      today: dayBefore(undefined, hour),
    };
    await actor.windows.put(scope, window);
    await record(actor.recorder(), [2]);
    world.time.now += 6 * 60_000;
    await actor.close();
    expect(await marksOf(actor)).toEqual([{ scope, hour, of: "events" }]);
    await actor.windows.markFinished(scope, hour, world.time.now);
    await record(actor.recorder(), [2.1]);
    world.time.now += 6 * 60_000;
    expect(await actor.close()).toMatchObject({ closed: 1 });
    expect(await marksOf(actor)).toEqual([]);
  });

  deepIt("closes a day's many hours in one run", async () => {
    const ages = Array.from({ length: 20 }, (_, i) => i + 24);
    await record(actor.recorder(), ages);
    world.time.now += 6 * 60_000;
    expect(await actor.close()).toEqual({ closed: 20, left: 0, isComplete: true });
    await expectExact();
  });

  it("continues after an hour that cannot be counted, and fails at the end", async () => {
    const recorder = actor.recorder();
    await record(recorder, [2]);
    world.time.now += 6 * 60_000;
    const broken = world.actor((client) =>
      client.middlewareStack.add(
        (next) => (args) => {
          const { ConsistentRead, ExpressionAttributeValues: values } = args.input as {
            ConsistentRead?: boolean;
            ExpressionAttributeValues?: Record<string, unknown>;
          };
          if (ConsistentRead === true && values?.[":scope"] === organizationKey(organizationId)) throw new Error("no");
          return next(args);
        },
        { step: "initialize" },
      ),
    );
    const other = `${organizationId}-other`;
    await recorder.record(newEvent({ organizationId: other }), { timestamp: world.time.now - 2 * HOUR });
    world.time.now += 6 * 60_000;
    await expect(broken.close()).rejects.toMatchObject({
      message: "1 hours could not be closed.",
      cause: { code: "store_unavailable" },
    });
    expect(await actor.openHours.list(organizationKey(other), 0)).toEqual([]);
    expect(await openHours()).toHaveLength(1);
    expect(await actor.close()).toMatchObject({ closed: 1 });
  });

  it("overwrites an hour whose events have all expired", async () => {
    const at = world.time.now - 2 * HOUR;
    await record(actor.recorder(), [2]);
    world.time.now += 6 * 60_000;
    await actor.close();
    expect((await dayOf(startOfDay(at)))?.counters).toHaveLength(1);
    world.time.now += 91 * DAY_MS;
    await actor.openHours.markHourOpen(organizationKey(organizationId), hourName(at));
    world.time.now += 6 * 60_000;
    expect(await actor.close()).toMatchObject({ closed: 1 });
    expect((await hoursOf(startOfDay(at))).map(({ counters }) => counters)).toEqual([[]]);
    expect((await dayOf(startOfDay(at)))?.counters).toEqual([]);
  });
});

describe("a closer that crashes", () => {
  it("leaves exact statistics, wherever it crashes, and the next run completes its work", async () => {
    for (const call of sampleOf(rangeOf(2 * 9 + 1), 2)) {
      let isDone = false;
      organizationId = `organization-${++organizations}`;
      await record(actor.recorder(), [2, 3]);
      world.time.now += 6 * 60_000;
      await actor.close();
      await record(actor.recorder(), [2.1, 26]);
      world.time.now += 6 * 60_000;
      await world
        .actor(dieAfter(call))
        .close()
        .then(() => {
          isDone = true;
        })
        .catch(() => undefined);
      await expectExact();
      expect((await actor.close()).left).toBe(0);
      expect(await openHours()).toEqual([]);
      expect((await marksOf(actor)).filter(({ scope }) => scope === organizationKey(organizationId))).toHaveLength(3);
      await expectExact();
      expect([call, isDone]).toEqual([call, call === 2 * 9]);
    }
  });
});

describe("a closer that is delayed", () => {
  it("does not undo concurrent closings, wherever it was delayed", async () => {
    for (const call of sampleOf(rangeOf(10), 2)) {
      organizationId = `organization-${++organizations}`;
      world.time.now = startOfDay(world.time.now) + DAY_MS + 12.5 * HOUR;
      await record(actor.recorder(), [2, 3]);
      world.time.now += 6 * 60_000;
      await actor.close();
      // One open hour, so that the calls have one order.
      await record(actor.recorder(), [2.1]);
      world.time.now += 6 * 60_000;
      const { reached, goOn, prepare } = holdUpAt(call);
      const slow = world.actor(prepare).close();
      const isDone = (await Promise.race([reached, slow])) !== undefined;
      expect([call, isDone]).toEqual([call, call === 9]);
      await record(actor.recorder(), [2.2, 3.2]);
      world.time.now += 6 * 60_000;
      await actor.close();
      await expectExact();
      goOn();
      await slow;
      await expectExact();
      await actor.close();
      expect(await openHours()).toEqual([]);
      await expectExact();
    }
  });
});

describe("a closer that others overtake", () => {
  it.each(["hour", "day"])("leaves an hour whose %s another one has written to a later run", async (overtaken) => {
    const rollup = { counters: [], exactUntil: 9e9, expiresAt: 9e9 };
    const result = closeHours(
      {
        openHours: {
          async *listAll() {
            yield { scope: "org#acme", hour: 0, markedAt: 0, token: "t" };
          },
          clear: async () => true,
        },
        rollups: {
          get: async () => undefined,
          put: async (_scope, { kind }) => kind !== overtaken,
          list: async () => [{ ...rollup, period: { kind: "hour", start: 0 }, token: "t" }],
        },
        events: { countRange: async () => rollup },
        detection: { markUnjudged: async () => undefined },
        now: () => 2 * HOUR,
        settleMs: 0,
      },
      () => 300_000,
    );
    await expect(result).resolves.toEqual({ closed: 0, left: 1, isComplete: true });
  });
});

describe("closers at the same time", () => {
  it.each(rangeOf(depth(1, 4)).map((seed) => [seed]))(
    "lose no event, whatever the order of closers, late events and readers (%i)",
    async (seed) => {
      const recorder = actor.recorder();
      await record(recorder, [2, 3, 4, 26]);
      world.time.now += 6 * 60_000;
      const turns = createTurns(seed);
      let writers = 0;
      turns.between(() => {
        // Closers rely on this limit: an event is stored within four minutes of its mark.
        if (writers === 0) world.time.now += turns.choose([0, 0, 0, 60_000, 4 * 60_000]);
      });
      const closer = async () => {
        const own = world.actor(turns.delay);
        for (let run = 0; run < 3; run++) await own.close();
      };
      const writer = async (ages: readonly number[]) => {
        const own = world.actor(turns.delay).recorder();
        for (const age of ages) {
          await turns.pause();
          writers++;
          await record(own, [age]);
          writers--;
        }
      };
      const reader = async () => {
        const own = world.actor(turns.delay);
        for (let read = 0; read < 6; read++) {
          const since = turns.choose([0, world.time.now - 25.7 * HOUR, world.time.now - 2.5 * HOUR]);
          const [before, begunBefore] = [world.expected(all(since)), world.begun()];
          const inFlight = writers;
          const counted = await own.count(all(since));
          const after = world.expected(all(since));
          if (world.begun() === begunBefore && inFlight === 0) expect(counted).toEqual(before);
          expect(counted.totalEvents).toBeGreaterThanOrEqual(before.totalEvents);
          expect(counted.totalEvents).toBeLessThanOrEqual(after.totalEvents + writers);
        }
      };
      await turns.run([closer(), closer(), closer(), writer([2.1, 3.2, 26.1]), writer([2.3, 3.1, 4.1]), reader()]);
      world.time.now += 10 * 60_000;
      expect((await actor.close()).left).toBe(0);
      expect(await openHours()).toEqual([]);
      await expectExact();
    },
  );
});
