import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "@jest/globals";
import { connectedShardOf } from "../../../shared/connection/connection-item.ts";
import { DetectionDispatch, DetectionDue, DUE_SLOTS, MAX_HOURS } from "../../../shared/detection/detection.ts";
import { createDetectionDispatcher, type DispatchDependencies } from "../../../shared/detection/dispatch-detection.ts";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { DAY_MS, HOUR_MS, hourName } from "../../../shared/terms/hours.ts";
import { organizationKey } from "../../../shared/terms/keys.ts";
import { sampleOf } from "../../support/depth.ts";
import { usePerTest } from "../../support/use-started.ts";
import { createStage, HOUR, JUDGED_AT, SYNC_INTERVAL_MS, startDetectionEngine } from "./stage.ts";

const engine = usePerTest(startDetectionEngine);
const stage = usePerTest(() => createStage(engine));

const SPREAD_MS = 30 * 60_000;
const plenty = () => 3_000_000;

/** The parts of events; each event has at most ten organizations. */
const partsOfEvents = (published: readonly BusEvent[]) =>
  published
    .flatMap(({ detail }) => DUE_SLOTS.flatMap((slot) => (slot in detail ? [Object(detail)[slot]] : [])))
    .map((due) => DetectionDue.parse(due));

/** The published hours, by organization. */
const dueOf = (published: readonly BusEvent[]) =>
  Object.fromEntries(
    partsOfEvents(published).map(({ organizationId = "none", hours, marked }) => {
      return [organizationId, { hours: hours.map(hourName), marked: marked.map(hourName) }];
    }),
  );

const connect = (organizationId: string) =>
  stage.own.client.send(
    new PutCommand({
      TableName: "connections",
      Item: { id: organizationKey(organizationId), connectedShard: connectedShardOf(organizationId) },
    }),
  );

const succeed = (organizationId: string, lastSuccessAt: number) =>
  stage.own.client.send(
    new PutCommand({
      TableName: "syncRuns",
      Item: { scope: organizationKey(organizationId), key: "state", lastSuccessAt },
    }),
  );

describe("dispatching detection", () => {
  it("publishes the ended hours with events, closed or not, each organization once, oldest hour first", async () => {
    const { openHours, unjudged, dispatch } = stage.own;
    for (const hour of [HOUR, HOUR - HOUR_MS, HOUR + HOUR_MS]) await openHours.markHourOpen("org#a", hourName(hour));
    for (const hour of [HOUR - 2 * HOUR_MS, HOUR - HOUR_MS]) await unjudged.markUnjudged("org#a", hour);
    await unjudged.markUnjudged("org#b%23c", HOUR);
    expect(await dispatch({}, plenty)).toEqual({ organizations: 2, hours: 4, silent: 0, isHandedOver: false });
    expect(dueOf(stage.published)).toEqual({
      a: {
        hours: ["2026-11-21T08", "2026-11-21T09", "2026-11-21T10"],
        marked: ["2026-11-21T08", "2026-11-21T09"],
      },
      "b#c": { hours: ["2026-11-21T10"], marked: ["2026-11-21T10"] },
    });
  });

  it("publishes the ended hours whose money is marked, with or without events of the organization", async () => {
    const { openHours, moneyMarks, dispatch } = stage.own;
    await openHours.markHourOpen("org#a", hourName(HOUR));
    for (const hour of [HOUR, HOUR - 2 * HOUR_MS, HOUR + HOUR_MS]) await moneyMarks.mark("a", hour, JUDGED_AT);
    await moneyMarks.mark("b", HOUR, JUDGED_AT);
    expect(await dispatch({}, plenty)).toMatchObject({ organizations: 2, hours: 1 });
    const due = partsOfEvents(stage.published);
    expect(due.map(({ organizationId, hours, money }) => [organizationId, hours, money])).toEqual([
      ["a", [HOUR], [HOUR - 2 * HOUR_MS, HOUR]],
      ["b", [], [HOUR]],
    ]);
  });

  it("publishes an hour as soon as it ends, and not before", async () => {
    await stage.own.openHours.markHourOpen("org#a", hourName(HOUR));
    stage.time.now = HOUR + HOUR_MS - 1;
    expect(await stage.own.dispatch({}, plenty)).toMatchObject({ organizations: 0 });
    stage.time.now += 1;
    expect(await stage.own.dispatch({}, plenty)).toMatchObject({ organizations: 1, hours: 1 });
  });

  it("publishes the events without an organization as one scope", async () => {
    for (const partition of ["none#3", "none#11"]) await stage.own.openHours.markHourOpen(partition, hourName(HOUR));
    await stage.own.unjudged.markUnjudged("none#7", HOUR - HOUR_MS);
    await stage.own.dispatch({}, plenty);
    expect(dueOf(stage.published)).toEqual({
      none: { hours: ["2026-11-21T09", "2026-11-21T10"], marked: ["2026-11-21T09"] },
    });
  });

  it("publishes the last hour of connected organizations that have not synced for two intervals, or never", async () => {
    const limit = HOUR + HOUR_MS - 2 * SYNC_INTERVAL_MS;
    for (const organizationId of ["never", "long ago", "just now", "busy"]) await connect(organizationId);
    await succeed("long ago", limit);
    await succeed("just now", limit + 1);
    await stage.own.openHours.markHourOpen(organizationKey("busy"), hourName(HOUR));
    expect(await stage.own.dispatch({}, plenty)).toMatchObject({ organizations: 3, silent: 2 });
    const lastHour = { hours: ["2026-11-21T10"], marked: [] };
    expect(dueOf(stage.published)).toEqual({ never: lastHour, "long ago": lastHour, busy: lastHour });
  });

  it("skips hours whose events have expired", async () => {
    await stage.own.unjudged.markUnjudged("org#a", HOUR + HOUR_MS - 90 * DAY_MS);
    await stage.own.unjudged.markUnjudged("org#b", HOUR - 90 * DAY_MS);
    await stage.own.dispatch({}, plenty);
    expect(Object.keys(dueOf(stage.published))).toEqual(["a"]);
  });

  it("publishes at most 48 hours of an organization, the oldest", async () => {
    for (let i = 0; i < MAX_HOURS + 2; i++) await stage.own.unjudged.markUnjudged("org#a", HOUR - i * HOUR_MS);
    await stage.own.dispatch({}, plenty);
    const [{ hours = [] } = {}] = partsOfEvents(stage.published);
    expect([hours.length, hours[0], hours.at(-1)]).toEqual([MAX_HOURS, HOUR - 49 * HOUR_MS, HOUR - 2 * HOUR_MS]);
  });

  it("records that it was completed, with its counts", async () => {
    await stage.own.unjudged.markUnjudged("org#a", HOUR);
    await stage.own.dispatch({}, plenty);
    const { Item } = await stage.own.client.send(
      new GetCommand({ TableName: "detection", Key: { scope: "#detector", key: "2026-11-21T11" } }),
    );
    expect(Item).toMatchObject({ dispatchedAt: JUDGED_AT, organizations: 1, hours: 1, silent: 0 });
  });
});

/** Many organizations without a store, and a bus that may refuse. */
const createWorld = (count: number, publish: DispatchDependencies["bus"]["publish"]) => {
  const recordedAt: number[] = [];
  const time = { now: JUDGED_AT };
  const dependencies: DispatchDependencies = {
    unjudged: {
      async *listAll() {
        for (let i = 0; i < count; i++) yield { scope: organizationKey(`o${i}`), hour: HOUR, of: "events" as const };
      },
      lastDispatch: async () => undefined,
      recordDispatch: async (at) => void recordedAt.push(at),
    },
    async *silenceRules() {},
    openHours: { async *listAll() {} },
    async *connectedOrganizations() {},
    syncFacts: { lastSuccesses: async () => new Map() },
    bus: { publish },
    syncIntervalMs: SYNC_INTERVAL_MS,
    retentionMs: 90 * DAY_MS,
    now: () => time.now,
    sleep: async (ms) => {
      time.now += ms;
    },
  };
  return { time, recordedAt, dependencies };
};

describe("a dispatch of many", () => {
  it("continues in the next invocation, and publishes each organization once", async () => {
    const sent: BusEvent[] = [];
    const { recordedAt, dependencies } = createWorld(950, async (events) => {
      sent.push(...events);
      return [];
    });
    const dispatch = createDetectionDispatcher(dependencies);
    let continued: DetectionDispatch = {};
    let invocations = 0;
    for (let isOver = false; !isOver; invocations++) {
      let left = 90_000;
      const { isHandedOver } = await dispatch(continued, () => {
        left -= 20_000;
        return left;
      });
      const last = sent.at(-1);
      isOver = !isHandedOver;
      if (isOver) break;
      expect(last?.detailType).toBe("DetectionDispatchContinued");
      continued = DetectionDispatch.parse(last?.detail);
      // The end stays that of the first invocation.
      expect(continued.until).toBe(JUDGED_AT + SPREAD_MS);
    }
    const dispatched = partsOfEvents(sent.filter(({ detailType }) => detailType === "DetectionDue"));
    expect(dispatched).toHaveLength(950);
    expect(new Set(dispatched.map(({ organizationId }) => organizationId)).size).toBe(950);
    expect(invocations).toBeGreaterThan(1);
    expect(recordedAt).toHaveLength(1);
  });

  it("reads no last success again of an organization that an invocation before has published", async () => {
    const organizations = Array.from({ length: 1_000 }, (_, number) => `silent ${number}`);
    const reads: string[][] = [];
    let last: BusEvent | undefined;
    const { dependencies } = createWorld(0, async (events) => {
      last = events.at(-1);
      return [];
    });
    const dispatch = createDetectionDispatcher({
      ...dependencies,
      async *connectedOrganizations() {
        yield* organizations;
      },
      syncFacts: {
        async lastSuccesses(chunk) {
          reads.at(-1)?.push(...chunk);
          return new Map();
        },
      },
    });
    let continued: DetectionDispatch = {};
    let published = 0;
    for (let isOver = false; !isOver; ) {
      reads.push([]);
      let left = 2_000_000;
      const result = await dispatch(continued, () => {
        left -= 20_000;
        return left;
      });
      expect(reads.at(-1)).toHaveLength(organizations.length - published);
      published += result.organizations;
      isOver = !result.isHandedOver;
      if (!isOver) continued = DetectionDispatch.parse(last?.detail);
    }
    expect(reads.length).toBeGreaterThan(1);
    expect(published).toBe(organizations.length);
  });

  type Rate = { first: number; atOnce: number; perSecond: number; seconds: number };
  const rates: [title: string, count: number, most: Rate][] = [
    ["fifty at once, then twenty a second", 2_000, { first: 50, atOnce: 5, perSecond: 20, seconds: 98 }],
    [
      "more per second if half an hour would not suffice",
      40_000,
      { first: 60, atOnce: 6, perSecond: 24, seconds: 1_800 },
    ],
  ];
  it.each(sampleOf(rates, 1))("publishes %s", async (_, count, most) => {
    const startedAt: number[] = [];
    const starts = new Set<number>();
    let last: BusEvent | undefined;
    const { time, dependencies } = createWorld(count, async (events) => {
      last = events.at(-1);
      for (const { detail } of events) if ("one" in detail) startedAt.push(...Object.keys(detail).map(() => time.now));
      return [];
    });
    const dispatch = createDetectionDispatcher(dependencies);
    let continued: DetectionDispatch = {};
    for (let isOver = false; !isOver; ) {
      // As on Lambda, an invocation has 15 minutes.
      const endsAt = time.now + 900_000;
      starts.add(time.now);
      isOver = !(await dispatch(continued, () => endsAt - time.now)).isHandedOver;
      if (!isOver) continued = DetectionDispatch.parse(last?.detail);
    }
    const later = startedAt.filter((at) => !starts.has(at));
    const mostPer = (ms: number) =>
      Math.max(...[...Map.groupBy(later, (at) => Math.floor(at / ms)).values()].map(({ length }) => length));
    expect(startedAt).toHaveLength(count);
    expect(startedAt.length - later.length).toBe(most.first * starts.size);
    expect(mostPer(1)).toBeLessThanOrEqual(most.atOnce);
    expect(mostPer(1_000)).toBeLessThanOrEqual(most.perSecond);
    expect((startedAt.at(-1) ?? 0) - JUDGED_AT).toBeLessThanOrEqual(most.seconds * 1_000);
  });

  it("publishes refused events again", async () => {
    const sent = new Set<unknown>();
    let calls = 0;
    const { dependencies } = createWorld(225, async (events) => {
      const refused = ++calls % 2 === 1 ? events : [];
      for (const { organizationId } of partsOfEvents(events.slice(refused.length))) sent.add(organizationId);
      return refused.map((event) => ({ event, reason: "ThrottlingException" }));
    });
    await createDetectionDispatcher(dependencies)({}, plenty);
    expect(sent.size).toBe(225);
  });

  it("fails if the bus refuses all events, and does not record that it was completed", async () => {
    const { recordedAt, dependencies } = createWorld(3, async (events) =>
      events.map((event) => ({ event, reason: "TimeoutError" })),
    );
    await expect(createDetectionDispatcher(dependencies)({}, plenty)).rejects.toThrow("The event bus does not take");
    expect(recordedAt).toEqual([]);
  });
});
