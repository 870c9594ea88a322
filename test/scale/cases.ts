/** The dispatchers that reach every organization, over stores in memory. */
import { DetectionDispatch } from "../../shared/detection/detection.ts";
import { createDetectionDispatcher } from "../../shared/detection/dispatch-detection.ts";
import { createReportDispatcher } from "../../shared/reports/dispatch-reports.ts";
import type { Period } from "../../shared/reports/period.ts";
import type { DueReport, Marking } from "../../shared/reports/report-due-store.ts";
import { closeHours } from "../../shared/security/statistics/close-hours.ts";
import { openHourShards } from "../../shared/security/statistics/open-hour-store.ts";
import { createSyncDispatcher, resumeSyncs, SyncDispatch } from "../../shared/sync/sync-schedules.ts";
import { DAY_MS, HOUR_MS } from "../../shared/terms/hours.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { createWorld, ENTRY_BYTES, MARK_BYTES, nameAt, type Outcome, START, type World } from "./world.ts";

const SYNC_INTERVAL_MS = 4 * HOUR_MS;

/** What a case must keep, at any number of organizations. */
export type ScaleCase = { title: string; limitMs: number; limit: string; run: (count: number) => Promise<Outcome> };

/** A tenth of the organizations had an event in the hour; all have synced lately. */
const judgeHour = async ({ time, store, bus, chain, lastDetail, connectedOrganizations }: World, count: number) => {
  const dispatch = createDetectionDispatcher({
    unjudged: {
      async *listAll() {},
      lastDispatch: async () => {
        await store.call({ read: 1 });
        return START - HOUR_MS;
      },
      recordDispatch: () => store.call({ write: 1 }),
    },
    async *silenceRules() {},
    openHours: {
      listAll: () =>
        store.list(count / 10, MARK_BYTES, (index) => ({
          scope: organizationKey(nameAt(10 * index)),
          hour: START - (START % HOUR_MS) - HOUR_MS,
          token: "t",
          markedAt: START - HOUR_MS,
        })),
    },
    connectedOrganizations: () => connectedOrganizations(),
    syncFacts: {
      async lastSuccesses(organizationIds) {
        await store.readBatches(organizationIds.length, 0.5);
        return new Map(organizationIds.map((id) => [id, START - HOUR_MS]));
      },
    },
    bus,
    syncIntervalMs: SYNC_INTERVAL_MS,
    retentionMs: 90 * DAY_MS,
    now: time.now,
    sleep: time.sleep,
  });
  let continued: DetectionDispatch = {};
  await chain("dispatch-detection", async (remainingMs) => {
    const { isHandedOver } = await dispatch(continued, remainingMs);
    if (isHandedOver) continued = DetectionDispatch.parse(lastDetail());
    return isHandedOver;
  });
};

/** The first hours of a day: all connected organizations are marked, and the reports of the day before are requested. */
const reportDay = async ({ time, store, bus, chain, connectedOrganizations }: World, count: number) => {
  let marking: Marking = {};
  let reported = 0;
  const yesterday: Period = {
    kind: "compliance",
    from: START - (START % DAY_MS) - DAY_MS,
    to: START - (START % DAY_MS),
  };
  const dispatch = createReportDispatcher({
    due: {
      async unmarked(scopes, periods) {
        await store.readBatches(2 * scopes.length * periods.length, 0.5);
        return scopes.flatMap((scope) => periods.map((period): DueReport => ({ scope, period })));
      },
      mark: () => store.call({ write: 2 }),
      async readMarking() {
        await store.call({ read: 1 });
        return marking;
      },
      async storeMarking(next) {
        marking = next;
        await store.call({ write: 1 });
      },
      listAll: () =>
        store.list(count - reported, ENTRY_BYTES, (index) => ({
          scope: organizationKey(nameAt(reported + index)),
          period: yesterday,
        })),
    },
    connectedOrganizations,
    bus,
    clock: time.now,
    sleep: time.sleep,
  });
  const invoke = async (remainingMs: () => number) => {
    const { requested } = await dispatch(remainingMs);
    reported += requested;
    return marking.current !== undefined || reported < count;
  };
  await chain("dispatch-reports", invoke, HOUR_MS);
};

const occurrencesOf = (store: World["store"], slot: number) => ({
  async read() {
    await store.call({ read: 1 });
    return { slot };
  },
  async replace() {
    await store.call({ write: 1 });
    return true;
  },
});

const dispatchSyncs = async ({ time, store, bus, chain, lastDetail, connectedOrganizations }: World) => {
  const dispatch = createSyncDispatcher({
    connectedOrganizations,
    bus,
    clock: time.now,
    sleep: time.sleep,
    syncIntervalMs: SYNC_INTERVAL_MS,
    occurrences: occurrencesOf(store, START - SYNC_INTERVAL_MS),
  });
  let continued: SyncDispatch = {};
  await chain("dispatch-syncs", async (remainingMs) => {
    const { isHandedOver } = await dispatch(continued, START, remainingMs);
    if (isHandedOver) continued = SyncDispatch.parse(lastDetail());
    return isHandedOver;
  });
};

/** All runs are as they should be: the search reads the state of each organization, and asks for nothing. */
const findLostRuns = async ({ time, store, bus, chain, connectedOrganizations }: World) => {
  await chain("resume-stalled-syncs", async (remainingMs) => {
    await resumeSyncs(
      {
        occurrences: occurrencesOf(store, START - HOUR_MS),
        connectedOrganizations: () => connectedOrganizations(),
        runs: {
          async readStatuses(organizationIds) {
            await store.readBatches(organizationIds.length, 0.5);
            return new Map(organizationIds.map((id) => [id, { isIndexed: false, slot: START - HOUR_MS }]));
          },
          async *listActive() {},
          readState: async () => ({ version: 0 }) as never,
        },
        bus,
        clock: time.now,
        sleep: time.sleep,
        syncIntervalMs: SYNC_INTERVAL_MS,
        withProofDue: async () => [],
      },
      remainingMs,
    );
    return false;
  });
};

/** Every organization has an open hour, each of few events; every shard is closed by a chain of its own. */
const closeAllHours = async ({ time, store, chain }: World, count: number) => {
  const closed = new Map(openHourShards.map((shard) => [shard, 0]));
  const ofShard = Math.ceil(count / openHourShards.length);
  const hour = START - (START % HOUR_MS) - 2 * HOUR_MS;
  const close = (shard: string) =>
    chain("close-security-hours", async (remainingMs) => {
      const first = closed.get(shard) ?? 0;
      const { isComplete } = await closeHours(
        {
          openHours: {
            listAll: () =>
              store.list(ofShard - first, MARK_BYTES, (index) => ({
                scope: `${organizationKey(nameAt(first + index))}#${shard}`,
                hour,
                token: "t",
                markedAt: hour,
              })),
            async clear() {
              await store.call({ write: 2 });
              closed.set(shard, (closed.get(shard) ?? 0) + 1);
              return true;
            },
          },
          rollups: {
            async get() {
              await store.call({ read: 1 });
              return undefined;
            },
            async put() {
              await store.call({ write: 1 });
              return true;
            },
            async list() {
              await store.call({ read: 1 });
              return [{ expiresAt: START + DAY_MS, counters: [], token: "t" }] as never;
            },
          },
          events: {
            async countRange() {
              await store.call({ read: 1 });
              return { expiresAt: START + DAY_MS, counters: [], token: "t" } as never;
            },
          },
          detection: { markUnjudged: () => store.call({ write: 2 }) },
          now: time.now,
          settleMs: 0,
        },
        remainingMs,
        shard,
      );
      return !isComplete;
    });
  await Promise.all(openHourShards.map(close));
};

const caseOf = (work: (world: World, count: number) => Promise<void>): ScaleCase["run"] => {
  return async (count) => {
    const world = createWorld(count);
    await work(world, count);
    return world.outcome();
  };
};

const MINUTE_MS = 60_000;

export const scaleCases = {
  detection: {
    title: "hourly detection is dispatched",
    limitMs: 45 * MINUTE_MS,
    limit: "45 min, so that an hour is judged within the next one",
    run: caseOf(judgeHour),
  },
  reports: {
    title: "a day's reports are marked and requested",
    limitMs: DAY_MS,
    limit: "24 h",
    run: caseOf(reportDay),
  },
  syncs: {
    title: "a sync of each organization is requested",
    limitMs: SYNC_INTERVAL_MS / 2 + MINUTE_MS,
    limit: "half of the interval of 4 h",
    run: caseOf((world) => dispatchSyncs(world)),
  },
  "lost-runs": {
    title: "lost runs are searched for",
    limitMs: HOUR_MS,
    limit: "1 h, its schedule",
    run: caseOf((world) => findLostRuns(world)),
  },
  closing: {
    title: "an hour of each organization is closed",
    limitMs: HOUR_MS,
    limit: "1 h, its schedule",
    run: caseOf(closeAllHours),
  },
} as const satisfies Record<string, ScaleCase>;

export type ScaleCaseName = keyof typeof scaleCases;
