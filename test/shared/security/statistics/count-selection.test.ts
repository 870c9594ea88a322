import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import type { Selection } from "../../../../shared/security/event-item.ts";
import { statisticsOf } from "../../../../shared/security/monitoring/statistics.ts";
import type { NewSecurityEvent } from "../../../../shared/security/security-event.ts";
import { countSelection } from "../../../../shared/security/statistics/count-selection.ts";
import type { SelectionCountStore } from "../../../../shared/security/statistics/event-count-store.ts";
import { DAY_MS, END_OF_TIME_MS, startOfDay, startOfHour } from "../../../../shared/terms/hours.ts";
import { organizationKey } from "../../../../shared/terms/keys.ts";
import { type RiskLevel, riskLevels } from "../../../../shared/terms/risk-levels.ts";
import { countUnits } from "../../../support/consumed-units.ts";
import { depth } from "../../../support/depth.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { dayOf } from "../../../support/security-counters.ts";
import { HOUR } from "../../../support/security-events.ts";
import { type Actor, dieAfter, type RollupWorld, startRollupWorld } from "../../../support/security-rollups.ts";

let world: RollupWorld;
let actor: Actor;
let organizations = 0;
const freshOrganization = () => `organization-${++organizations}`;

beforeAll(async () => {
  world = await startRollupWorld();
  actor = world.actor();
});
afterAll(() => world.stop());

/** A new event with a risk level, as all events of the world have. */
type NewEvent = NewSecurityEvent & { riskLevel: RiskLevel };

type Command =
  | { kind: "record"; ages: number[]; newEvent: Partial<NewEvent> }
  | { kind: "advance"; by: number }
  | { kind: "close"; diesAfter: number | undefined }
  | { kind: "retain"; days: number }
  | { kind: "mark"; every: number }
  | { kind: "sweep" | "restart" }
  | {
      kind: "count";
      age: number;
      edge: "none" | "hour" | "day" | "ever";
      intervalMs: number | undefined;
      filters: Partial<Selection>;
    };

const minutes = (min: number, max: number) => fc.integer({ min: min * 60_000, max: max * 60_000 });
const maybe = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
const types = ["PROVIDER_REQUEST", "AUTHENTICATION_FAILURE", "PERMISSION_DENIED"] as const;
const kinds = ["integration", "authentication"] as const;

/** Retention of one to three days and clocks that advance by up to 30 hours, so that events expire within a history. */
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("record" as const),
      ages: fc.array(fc.oneof(fc.constant(0), minutes(0, 90), minutes(0, 60 * 60)), { minLength: 1, maxLength: 5 }),
      newEvent: fc.record({
        eventType: fc.constantFrom(...types),
        category: fc.constantFrom(...kinds),
        riskLevel: fc.constantFrom(...riskLevels),
        success: fc.boolean(),
        userId: fc.constantFrom("ada", "bob"),
        metadata: fc.record({ durationMs: fc.integer({ min: 0, max: 500 }) }),
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("advance" as const),
      by: fc.oneof(minutes(1, 90), minutes(60, 30 * 60)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("close" as const),
      diesAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retain" as const), days: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mark" as const), every: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("sweep" as const, "restart" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("count" as const),
      age: minutes(0, 80 * 60),
      edge: fc.constantFrom("none" as const, "none" as const, "hour" as const, "day" as const, "ever" as const),
      intervalMs: fc.constantFrom(undefined, HOUR, DAY_MS),
      filters: fc.oneof(
        fc.constant({}),
        fc.record({ eventType: maybe(...types), category: maybe(...kinds), riskLevel: maybe(...riskLevels) }),
        fc.record({
          eventType: maybe(...types),
          riskLevel: maybe(...riskLevels),
          userId: maybe("ada", "bob", "nobody"),
          processed: maybe(true, false),
        }),
      ),
    }),
  },
);

const runHistory = async (history: readonly Command[]) => {
  const organizationId = freshOrganization();
  world.stored.length = 0;
  world.settings.retentionDays = 2;
  world.time.now = startOfDay(world.time.now) + 10 * DAY_MS + 12.5 * HOUR;
  let recorder = actor.recorder();

  const run: { [Kind in Command["kind"]]: (command: Extract<Command, { kind: Kind }>) => Promise<void> } = {
    record: async ({ ages, newEvent }) => {
      for (const age of ages) {
        const event = { eventType: "DATA_READ", category: "data_access", riskLevel: "LOW", success: true } as const;
        await recorder.record(
          { ...event, ...newEvent, organizationId, source: "user" },
          { timestamp: world.time.now - age },
        );
      }
    },
    advance: async ({ by }) => {
      world.time.now += by;
    },
    close: async ({ diesAfter }) => {
      if (diesAfter === undefined) await actor.close();
      else
        await world
          .actor(dieAfter(diesAfter))
          .close()
          .catch(() => undefined);
    },
    retain: async ({ days }) => {
      world.settings.retentionDays = days;
      recorder = actor.recorder();
    },
    mark: async ({ every }) => {
      const chosen = world.stored.filter(({ ttl }, i) => i % every === 0 && ttl * 1_000 > world.time.now);
      const { processed } = await actor.events.markProcessed(
        organizationId,
        chosen.map(({ event }) => event.id),
        world.time.now,
      );
      for (const { event } of chosen) if (processed.includes(event.id)) event.processed = true;
    },
    sweep: async () => void (await world.sweep()),
    restart: async () => {
      recorder = actor.recorder();
    },
    count: async ({ age, edge, filters, intervalMs }) => {
      const at = world.time.now - age;
      const since = { none: at, hour: startOfHour(at), day: startOfDay(at), ever: 0 }[edge];
      const selection: Selection = { ...filters, organizationId, since };
      const total = await actor.count(selection);
      expect(total).toEqual(world.expected(selection));
      if (intervalMs === undefined) return;
      const intervals = await actor.countIntervals(selection, intervalMs);
      let counted = 0;
      for (const [start, statistics] of intervals) {
        const part = { ...selection, since: Math.max(start, since), until: start + intervalMs };
        expect(statistics).toEqual(world.expected(part));
        counted += statistics.totalEvents;
      }
      expect(counted).toBe(total.totalEvents);
    },
  };
  for (const one of history) await run[one.kind](one as never);
  for (const intervalMs of [HOUR, DAY_MS])
    await run.count({ kind: "count", age: 0, edge: "ever", intervalMs, filters: {} });
};

describe("statistics of a selection", () => {
  it("equal a count of the events, after any history of records, closers, crashes and expiry", async () => {
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 25, maxLength: 60 }), runHistory), {
      seed: 20_261_121,
      numRuns: depth(1, 8),
      endOnFailure: true,
    });
  });

  it.each([
    [3, 1],
    [1, 3],
  ])("stay exact when retention changes within an hour, from %i days to %i", async (before, after) => {
    const organizationId = freshOrganization();
    world.stored.length = 0;
    world.time.now = startOfDay(world.time.now) + 10 * DAY_MS + 12.5 * HOUR;
    const event = { eventType: "DATA_READ", category: "data_access", riskLevel: "LOW", success: true } as const;
    for (const [days, number] of [
      [before, 2],
      [after, 5],
    ] as const) {
      world.settings.retentionDays = days;
      const recorder = actor.recorder();
      for (let i = 0; i < number; i++) await recorder.record({ ...event, organizationId, source: "user" });
    }
    const recorded = world.stored.length;
    const counts: number[] = [];
    for (const age of [0, 2 * HOUR, 23 * HOUR, 6 * HOUR, DAY_MS, 2 * DAY_MS]) {
      world.time.now += age;
      await actor.close();
      await world.sweep();
      const selection = { organizationId, since: 0 };
      const counted = await actor.count(selection);
      expect(counted).toEqual(world.expected(selection));
      counts.push(counted.totalEvents);
    }
    expect([...new Set(counts)]).toEqual([recorded, before > after ? 2 : 5, 0]);
  });

  it("are zeros if no event matches, and beyond the end of time", async () => {
    const zeros = { totalEvents: 0, highRiskEvents: 0, failureRate: 0, avgResponseTime: 0 };
    const organizationId = freshOrganization();
    for (const since of [0, world.time.now, END_OF_TIME_MS - 1, END_OF_TIME_MS, Number.MAX_SAFE_INTEGER]) {
      expect(await actor.count({ organizationId, since })).toEqual(zeros);
    }
  });
});

describe("counting one by one", () => {
  it("is rejected if too many events must be read, and exact up to the limit", async () => {
    const organizationId = freshOrganization();
    world.stored.length = 0;
    world.settings.retentionDays = 90;
    const recorder = actor.recorder();
    const newEvent = (fields: Partial<NewEvent>): NewEvent => ({
      organizationId,
      eventType: "DATA_READ",
      category: "data_access",
      riskLevel: "LOW",
      source: "user",
      userId: "ada",
      success: true,
      ...fields,
    });
    await recorder.record(newEvent({ userId: "bob" }));
    world.time.now += 1;
    for (let i = 0; i < 20; i++) await recorder.record(newEvent({}));
    for (let i = 0; i < 3; i++) await recorder.record(newEvent({ riskLevel: "MEDIUM", userId: "eve" }));
    const atMost = (max: number) => async (filters: Partial<Selection>) => {
      const selection = { organizationId, since: 0, ...filters };
      const counters = await actor.selections.count(selection, { max, now: world.time.now });
      return counters && statisticsOf(counters);
    };
    const ofAda = { userId: "ada" };
    expect(await atMost(20)(ofAda)).toEqual(world.expected({ organizationId, since: 0, ...ofAda }));
    expect(await atMost(19)(ofAda)).toBeUndefined();
    const open = { processed: false };
    expect(await atMost(24)(open)).toMatchObject({ totalEvents: 24 });
    expect(await atMost(23)(open)).toBeUndefined();
    // Each selection is read from its smallest partition, and only events that are read count against the limit.
    expect(await atMost(23)({ ...open, since: world.time.now })).toMatchObject({ totalEvents: 23 });
    expect(await atMost(1)({ ...open, userId: "bob" })).toMatchObject({ totalEvents: 1 });
    expect(await atMost(3)({ ...open, riskLevel: "MEDIUM" })).toMatchObject({ totalEvents: 3 });
    expect(await atMost(3)({ processed: true, riskLevel: "MEDIUM" })).toMatchObject({ totalEvents: 0 });
    world.time.now += 91 * DAY_MS;
    expect(await atMost(0)(open)).toMatchObject({ totalEvents: 0 });
  });

  it("reads rollups, and no events one by one, without a filter that rollups do not count by", async () => {
    const selections = { count: jest.fn<SelectionCountStore["count"]>(async () => undefined) };
    const { openHours, rollups, counts } = actor;
    const stores = { openHours, rollups, events: counts, selections };
    await countSelection(stores, { organizationId: freshOrganization(), since: 0, riskLevel: "HIGH" }, world.time.now);
    expect(selections.count).not.toHaveBeenCalled();
  });

  it("asks for a later time if 10,000 events are not enough", async () => {
    const selections = { count: jest.fn<SelectionCountStore["count"]>(async () => undefined) };
    const { openHours, rollups, counts } = actor;
    const refused = countSelection(
      { openHours, rollups, events: counts, selections },
      { organizationId: "any", since: 0, userId: "ada" },
      0,
    );
    await expect(refused).rejects.toMatchObject({
      code: "invalid_field",
      message: expect.stringMatching(/^since: expected a later time, or until an earlier one: with userId, at most /),
    });
    expect(selections.count).toHaveBeenCalledWith(expect.anything(), { max: 10_000, now: 0 });
  });
});

describe("the cost of statistics", () => {
  it.each([
    [15, 1_000],
    [15, 1_000_000],
    [60, 1_000_000],
  ])(
    "is at most 12 read units for the closed hours of 90 days of %i combinations and %i events",
    async (combinations, events) => {
      const organizationId = freshOrganization();
      const scope = organizationKey(organizationId);
      const now = startOfDay(world.time.now) + 30 * DAY_MS + 23.5 * HOUR;
      world.time.now = now;
      const since = now - 90 * DAY_MS;
      const expiry = { exactUntil: now / 1_000 + 1, expiresAt: now / 1_000 + DAY_MS };
      for (let day = startOfDay(since); day <= now; day += DAY_MS) {
        await actor.rollups.put(
          scope,
          { kind: "day", start: day },
          { counters: dayOf(combinations, events / 90), ...expiry },
          undefined,
        );
        if (day > startOfDay(since) && day < startOfDay(now)) continue;
        for (let hour = day; hour < Math.min(day + DAY_MS, startOfHour(now)); hour += HOUR) {
          const counters = dayOf(combinations, events / 90 / 24);
          await actor.rollups.put(scope, { kind: "hour", start: hour }, { counters, ...expiry }, undefined);
        }
      }
      await actor.openHours.markHourOpen(scope, new Date(now).toISOString().slice(0, 13));
      const measured = world.actor();
      const measure = countUnits(measured.client);
      const { read, write } = await measure(() => measured.count({ organizationId, since }));
      expect(write).toBe(0);
      // Half a unit each for the two edge hours, which have no events here.
      expect(read - 1).toBeLessThanOrEqual(12);
      const daily = await measure(() => measured.countIntervals({ organizationId, since }, DAY_MS));
      expect(daily.read).toBe(read);
    },
  );
});
