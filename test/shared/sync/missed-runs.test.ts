import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { BusEvent } from "../../../shared/runtime/event-bus.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { beginOccurrence, findMissedRuns } from "../../../shared/sync/missed-runs.ts";
import { createOccurrenceStore } from "../../../shared/sync/occurrence-store.ts";
import { SyncRequested, syncRequested } from "../../../shared/sync/sync-request.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { usePerTest } from "../../support/use-started.ts";
import { createStage, NOW, RUNS, SYNC_INTERVAL_MS, useSyncEngine } from "./stage.ts";

quietLog();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const engine = useSyncEngine();
const stage = usePerTest(() => createStage(engine));
beforeEach(async () => {
  const occurrences = createOccurrenceStore(createTable(stage.client, RUNS));
  await occurrences.replace({ slot: NOW - SYNC_INTERVAL_MS }, await occurrences.read());
});

const begin = (at: number) =>
  beginOccurrence(createOccurrenceStore(createTable(stage.client, RUNS)), at, SYNC_INTERVAL_MS);

/** What the hourly search finds at a time, for the stage's organization. */
const findAt = (at: number): Promise<BusEvent[]> => {
  stage.time.now = at;
  return findMissedRuns(stage.missedRuns([stage.organizationId]), () => 300_000);
};

const requestOf = (slot: number) => syncRequested({ organizationId: stage.organizationId, slot });

const deliver = async (events: readonly BusEvent[]) => {
  for (const { detail } of events) await stage.deliver(SyncRequested.parse(detail));
};

/** A run under way that has read the feed. Its worker, of delivery `busy`, has the lease from NOW on. */
const leaveAfterFeed = async () => {
  const owner = { delivery: "busy", attempt: "1" };
  const { run } = await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
  await stage.leases.take(stage.organizationId, run.id, owner, NOW);
  const work = { ...run.work, at: { phase: "compare", type: "payments" }, next: { known: "" } } as const;
  await stage.leases.checkpoint(stage.organizationId, { ...run, work }, owner, NOW);
};

describe("an organization whose scheduled run was never requested, or whose request was given up", () => {
  it("is found by the hourly search, runs once for the occurrence, and is then not found again", async () => {
    await begin(NOW);
    await expect(findAt(NOW + 5 * MINUTE)).resolves.toEqual([]);
    const found = await findAt(NOW + 21 * MINUTE);
    expect(found).toEqual([requestOf(NOW)]);
    await deliver([...found, ...found, requestOf(NOW)]);
    await expect(stage.list()).resolves.toMatchObject([{ trigger: "scheduled", status: "succeeded" }]);
    await expect(findAt(NOW + 81 * MINUTE)).resolves.toEqual([]);
  });

  it("is not found if a run was under way when the request was delivered", async () => {
    await begin(NOW);
    await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
    const { run } = await stage.runs.readState(stage.organizationId);
    await stage.leases.take(stage.organizationId, run?.id ?? "", { delivery: "busy", attempt: "1" }, NOW);
    await deliver([requestOf(NOW)]);
    await stage.deliver(SyncRequested.parse(stage.published[0]?.detail), { delivery: "busy" });
    await expect(stage.list()).resolves.toHaveLength(1);
    await expect(findAt(NOW + 21 * MINUTE)).resolves.toEqual([]);
  });

  it("runs after a run that has read the feed already and lost its worker", async () => {
    await begin(NOW);
    await leaveAfterFeed();
    stage.time.now = NOW + MINUTE;
    await deliver([requestOf(NOW)]);
    await expect(stage.list()).resolves.toMatchObject([
      { trigger: "scheduled", status: "succeeded" },
      { trigger: "manual", status: "succeeded" },
    ]);
    await expect(findAt(NOW + 21 * MINUTE)).resolves.toEqual([]);
  });

  it("is found if a run under way had read the feed already when the request was delivered", async () => {
    await begin(NOW);
    await leaveAfterFeed();
    await deliver([requestOf(NOW)]);
    await stage.deliver(SyncRequested.parse(stage.published[0]?.detail), { delivery: "busy" });
    await expect(stage.list()).resolves.toHaveLength(1);
    await expect(findAt(NOW + 21 * MINUTE)).resolves.toEqual([requestOf(NOW)]);
  });

  it("is not found for an occurrence before its connection, whose first run reads everything", async () => {
    await begin(NOW);
    stage.time.now = NOW + MINUTE;
    await stage.startRun({ organizationId: stage.organizationId, trigger: "connection" });
    await stage.deliverAll();
    await expect(findAt(NOW + 21 * MINUTE)).resolves.toEqual([]);
    await begin(NOW + SYNC_INTERVAL_MS);
    await expect(findAt(NOW + SYNC_INTERVAL_MS + 21 * MINUTE)).resolves.toEqual([requestOf(NOW + SYNC_INTERVAL_MS)]);
  });
});

describe("an organization among many", () => {
  it.each([
    ["1,000 organizations are asked within 50 s", 1_000, 50_000],
    ["40,000 organizations are asked within half of the interval", 40_000, HOUR / 2],
  ])("is found ten minutes after the dispatch has asked the last one: %s", async (_what, count, spreadMs) => {
    const found = (now: number) =>
      findMissedRuns(
        {
          occurrences: { read: async () => ({ slot: NOW }), replace: async () => true },
          connectedOrganizations: async function* () {
            yield* Array.from({ length: count }, (_, i) => `organization ${i}`);
          },
          runs: { readStatuses: async () => new Map() },
          clock: () => now,
          syncIntervalMs: HOUR,
        },
        () => 300_000,
      );
    await expect(found(NOW + spreadMs + 10 * MINUTE)).resolves.toHaveLength(0);
    await expect(found(NOW + spreadMs + 10 * MINUTE + 1)).resolves.toHaveLength(count);
  });
});

describe("a search that is too short for all organizations", () => {
  it("ends with half of the function's time left, and the next hours' searches find the others", async () => {
    const organizations = Array.from({ length: 100_000 }, (_, i) => `organization ${i}`);
    const found = new Set<unknown>();
    for (let hour = 0; hour < 4; hour++) {
      let remainingMs = 300_000;
      const requests = await findMissedRuns(
        {
          occurrences: { read: async () => ({ slot: NOW }), replace: async () => true },
          async *connectedOrganizations() {
            yield* organizations;
          },
          runs: {
            async readStatuses() {
              remainingMs -= 2_000;
              return new Map();
            },
          },
          clock: () => NOW + (hour + 2) * HOUR,
          syncIntervalMs: 24 * HOUR,
        },
        () => remainingMs,
      );
      expect(remainingMs).toBeGreaterThan(145_000);
      for (const { detail } of requests) if ("organizationId" in detail) found.add(detail.organizationId);
      // A search reads 45 % of them.
      expect(requests).toHaveLength(76 * 600);
    }
    expect(found.size).toBe(organizations.length);
  });
});

describe("a run that replaces a cancelled one", () => {
  it("is found if its request was lost", async () => {
    await deliver([requestOf(NOW)]);
    await stage.startRun({ organizationId: stage.organizationId, trigger: "manual" });
    const cancelledAt = NOW + HOUR;
    await stage.runEnd.cancelActive(stage.organizationId, cancelledAt, cancelledAt);
    await expect(findAt(cancelledAt + 5 * MINUTE)).resolves.toEqual([]);
    await expect(findAt(cancelledAt + 21 * MINUTE)).resolves.toEqual([requestOf(cancelledAt)]);
    await deliver([requestOf(cancelledAt)]);
    await expect(findAt(cancelledAt + 81 * MINUTE)).resolves.toEqual([]);
  });
});

describe("a scheduled run whose worker crashes before the first checkpoint", () => {
  it("is found by the hourly search although the index does not contain it", async () => {
    await begin(NOW);
    const { organizationId } = stage;
    const never = new Promise<never>(() => undefined);
    const { promise: died, resolve } = Promise.withResolvers<void>();
    const using = stage.createParts(async (name, work) => {
      if (name !== "listEvents" && !name.startsWith("list ")) return work();
      resolve();
      return never;
    });
    void stage.deliver(SyncRequested.parse(requestOf(NOW).detail), { using });
    await died;
    const { run } = await stage.runs.readState(organizationId);
    await expect(findAt(NOW + 21 * MINUTE)).resolves.toEqual([syncRequested({ organizationId, runId: run?.id ?? "" })]);
    await deliver(await findAt(NOW + 21 * MINUTE));
    await expect(stage.list()).resolves.toMatchObject([{ id: run?.id, status: "succeeded" }]);
    expect(stage.recordedActions().filter((action) => action.startsWith("PROVIDER_SYNC_STARTED"))).toHaveLength(1);
  });
});

describe("an occurrence whose event was given up", () => {
  it("counts once in the metric of an alarm", async () => {
    process.env.METRICS_NAMESPACE = "PlantStore/dev";
    const counted = () =>
      jest.mocked(process.stdout.write).mock.calls.filter(([line]) => String(line).includes('"LostSyncOccurrences":1'));
    await begin(NOW);
    await findAt(NOW + SYNC_INTERVAL_MS - MINUTE);
    expect(counted()).toHaveLength(0);
    await findAt(NOW + SYNC_INTERVAL_MS + 21 * MINUTE);
    await findAt(NOW + SYNC_INTERVAL_MS + 81 * MINUTE);
    expect(counted()).toHaveLength(1);
    delete process.env.METRICS_NAMESPACE;
  });

  it("is assumed within the next hour, and the late event changes nothing", async () => {
    const due = NOW;
    await expect(findAt(due + 5 * MINUTE)).resolves.toEqual([requestOf(due - SYNC_INTERVAL_MS)]);
    await deliver([requestOf(due - SYNC_INTERVAL_MS)]);
    const found = await findAt(due + 40 * MINUTE);
    await deliver(await findAt(due + 60 * MINUTE));
    expect([found, await findAt(due + 61 * MINUTE)]).toEqual([[requestOf(due)], []]);
    // The schedule's own event arrives after all, some seconds from where it was expected.
    await expect(begin(due + 2_000)).resolves.toBe(due);
    await expect(begin(due + SYNC_INTERVAL_MS)).resolves.toBe(due + SYNC_INTERVAL_MS);
  });

  it("is the last one if several were missed", async () => {
    await deliver(await findAt(NOW + 3 * SYNC_INTERVAL_MS + HOUR));
    const { slot } = await stage.runs.readState(stage.organizationId);
    expect(slot).toBe(NOW + 3 * SYNC_INTERVAL_MS);
    await expect(stage.list()).resolves.toHaveLength(1);
  });

  it("is the same as that of an event right after the search", async () => {
    await findAt(NOW + 3 * HOUR + 59 * MINUTE);
    await expect(begin(NOW + 4 * HOUR + MINUTE)).resolves.toBe(NOW);
  });

  it("is stored once, also by a repeated or an older event", async () => {
    await expect(begin(NOW)).resolves.toBe(NOW);
    await expect(begin(NOW)).resolves.toBe(NOW);
    await expect(begin(NOW - 1_000)).resolves.toBe(NOW - 1_000);
    await expect(createOccurrenceStore(createTable(stage.client, RUNS)).read()).resolves.toMatchObject({ slot: NOW });
  });
});

describe("a stack without an occurrence yet", () => {
  it("expects the first one after an interval, and requests nothing before", async () => {
    await stage.client.send(new DeleteCommand({ TableName: RUNS, Key: { scope: "#schedule", key: "occurrence" } }));
    await expect(findAt(NOW)).resolves.toEqual([]);
    await expect(findAt(NOW + 3 * HOUR)).resolves.toEqual([]);
    await expect(findAt(NOW + SYNC_INTERVAL_MS + 21 * MINUTE)).resolves.toEqual([requestOf(NOW + SYNC_INTERVAL_MS)]);
  });
});
