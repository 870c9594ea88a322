import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Counts } from "../../../shared/circuit-breaker/circuit.ts";
import { bucketKeys, globalBucketKeys } from "../../../shared/circuit-breaker/circuit-keys.ts";
import { globalStats } from "../../../shared/circuit-breaker/circuit-statistics.ts";
import {
  createRequestCounter,
  FLUSH_INTERVAL_MS,
  FLUSH_PAUSE_MS,
  IN_DOUBT_MS,
} from "../../../shared/circuit-breaker/request-counter.ts";
import type { Addition } from "../../../shared/circuit-breaker/statistics-store.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { startTables } from "../../support/service-tables.ts";
import { useEngine } from "../../support/use-table.ts";
import { createInstance, fail, type Instance, start, succeed, type TestClock, testClock } from "./instance.ts";

quietLog();

const database = useEngine("circuits");

let time: TestClock;
let instance: Instance;
let org = "";
let organizations = 0;
beforeEach(() => {
  time = testClock();
  instance = createInstance(database, time.clock);
  org = `organization ${++organizations}`;
});

const counts = (total: number, failed = 0, rejected = 0): Counts => ({ total, failed, rejected });
const failing = ({ guard }: Instance = instance) => guard(org, fail).catch(() => undefined);

describe("counts of requests", () => {
  it("contain all instances at the end of an invocation", async () => {
    const before = await instance.statisticsStore.globalCounts();
    const instances = Array.from({ length: 5 }, () => createInstance(database, time.clock));
    for (const each of instances) {
      await failing(each);
      await each.guard(org, succeed).catch(() => undefined);
    }
    await expect(instance.statisticsStore.organizationCounts(org)).resolves.toEqual(counts(0));
    await Promise.all(instances.map(({ guard }) => guard.flush()));
    await expect(instance.statisticsStore.organizationCounts(org)).resolves.toEqual(counts(10, 5, 1));
    const after = await instance.statisticsStore.globalCounts();
    expect(after).toEqual(counts(before.total + 10, before.failed + 5, before.rejected + 1));
  });

  it("are added every 5 s in a long invocation", async () => {
    await instance.guard(org, succeed);
    time.pass(FLUSH_INTERVAL_MS - 1);
    await instance.guard(org, succeed);
    expect(instance.requests).not.toContain("UpdateItemCommand");
    time.pass(1);
    await instance.guard(org, succeed);
    expect(instance.requests).toContain("UpdateItemCommand");
    await instance.statistics.flush();
    await expect(instance.statisticsStore.organizationCounts(org)).resolves.toEqual(counts(3));
  });

  it("cost nothing if nothing was counted", async () => {
    await instance.guard.flush();
    expect(instance.requests).toEqual([]);
  });

  it("start at zero after a reset, and are subtracted from the global sums", async () => {
    const before = await instance.statisticsStore.globalCounts();
    for (let i = 0; i < 6; i++) await failing();
    await instance.operator.operate(org, { action: "reset", by: "alice" });
    await expect(instance.reader.readOrganization(org)).resolves.toMatchObject({
      state: "closed",
      totalRequests: 0,
      failedRequests: 0,
      rejectedRequests: 0,
      failureRate: 0,
      failuresInWindow: 0,
      lastFailureAt: null,
      changedBy: "alice",
    });
    await expect(instance.statisticsStore.globalCounts()).resolves.toEqual(before);
    await instance.guard(org, succeed);
    await instance.guard.flush();
    await expect(instance.reader.readOrganization(org)).resolves.toMatchObject({ totalRequests: 1, failedRequests: 0 });
    const other = createInstance(database, time.clock);
    await other.operator.operate(org, { action: "reset", by: "bob" });
    await expect(instance.reader.readOrganization(org)).resolves.toMatchObject({ totalRequests: 0, changedBy: "bob" });
    await expect(instance.statisticsStore.globalCounts()).resolves.toEqual(before);
  });

  it("remove the sequence numbers of ended instances", async () => {
    const key = bucketKeys(org)[0] ?? "";
    const add = (name: string, sequence: number) =>
      instance.statisticsStore.add(key, { instance: name, sequence, counts: counts(1) });
    for (let i = 0; i < 30; i++) await add(`gone${i}`, start + i);
    for (let i = 0; i < 4; i++) await add("young", start + 3_600_000 + i);
    const { Item = {} } = await database
      .documentClient()
      .send(new GetCommand({ TableName: "circuits", Key: { id: key } }));
    expect(Object.keys(Item).sort()).toEqual(["f", "id", "iyoung", "r", "t"]);
    expect(Item.t).toBe(34);
  });
});

describe("an addition whose answer is lost", () => {
  /** A store that applies every call and loses some answers. */
  const lossy = (isLost: (call: number) => boolean) => {
    let calls = 0;
    const store = {
      add: async (bucket: string, addition: Addition) => {
        const call = calls++;
        await instance.statisticsStore.add(bucket, addition);
        if (isLost(call)) throw new Error("no answer");
      },
    };
    return createRequestCounter({ store, clock: time.clock });
  };

  it.each([
    ["the first", (call: number) => call < 2],
    ["every second", (call: number) => call % 2 === 0],
    ["most", (call: number) => call % 5 !== 0],
  ])("counts once: %s", async (_which, isLost) => {
    const before = await instance.statisticsStore.globalCounts();
    const statistics = lossy(isLost);
    for (let i = 0; i < 10; i++) {
      statistics.count(org, i % 3 === 0 ? "failed" : "succeeded");
      await statistics.flush();
      if (i % 2 === 0) time.pass(FLUSH_PAUSE_MS);
    }
    for (let i = 0; i < 10; i++) {
      time.pass(FLUSH_PAUSE_MS);
      await statistics.flush();
    }
    await expect(instance.statisticsStore.organizationCounts(org)).resolves.toEqual(counts(10, 4));
    const { total } = await instance.statisticsStore.globalCounts();
    expect(total - before.total).toBe(10);
  });

  it("is dropped after minutes without an answer, so that it never counts twice", async () => {
    const statistics = lossy((call) => call < 2);
    statistics.count(org, "succeeded");
    await statistics.flush();
    time.pass(IN_DOUBT_MS + 1);
    statistics.count(org, "succeeded");
    await statistics.flush();
    await expect(instance.statisticsStore.organizationCounts(org)).resolves.toEqual(counts(2));
  });

  it("counts once although many flushes run concurrently", async () => {
    const statistics = lossy((call) => call % 3 === 0);
    const flushes: Promise<void>[] = [];
    for (let i = 0; i < 50; i++) {
      statistics.count(org, "rejected");
      flushes.push(statistics.flush());
      if (i % 10 === 0) time.pass(FLUSH_PAUSE_MS);
    }
    await Promise.all(flushes);
    for (let i = 0; i < 10; i++) {
      time.pass(FLUSH_PAUSE_MS);
      await statistics.flush();
    }
    await expect(instance.statisticsStore.organizationCounts(org)).resolves.toEqual(counts(50, 0, 50));
  });
});

describe("the figures of GET circuit-breaker", () => {
  it("show the organization's own circuit, and sums without organization ids", async () => {
    const separate = await startTables("circuits");
    try {
      const own = createInstance(separate, time.clock);
      await expect(own.reader.read(org)).resolves.toEqual({
        organizationStats: {
          organizationId: org,
          state: "closed",
          forced: false,
          failuresInWindow: 0,
          consecutiveSuccesses: 0,
          totalRequests: 0,
          failedRequests: 0,
          rejectedRequests: 0,
          failureRate: 0,
          lastFailureAt: null,
          openedAt: null,
          retryAt: null,
          until: null,
          changedAt: null,
          changedBy: null,
          reason: null,
        },
        globalStats: {
          organizations: 0,
          closed: 0,
          open: 0,
          halfOpen: 0,
          totalRequests: 0,
          failedRequests: 0,
          rejectedRequests: 0,
        },
        overallHealth: { status: "healthy", openCircuits: 0, totalRequests: 0, failureRate: 0 },
      });
      for (let i = 0; i < 6; i++) await failing(own);
      await own.guard.flush();
      await expect(own.reader.read(org)).resolves.toMatchObject({
        organizationStats: {
          state: "open",
          totalRequests: 6,
          failedRequests: 5,
          rejectedRequests: 1,
          failureRate: 1,
          openedAt: start,
          retryAt: start + 30_000,
          lastFailureAt: start,
          changedAt: start,
          changedBy: null,
        },
        globalStats: { organizations: 1, closed: 0, open: 1, halfOpen: 0, totalRequests: 6 },
        overallHealth: { status: "unhealthy", openCircuits: 1, totalRequests: 6, failureRate: 1 },
      });
      time.pass(30_000);
      const before = own.requests.length;
      await expect(own.reader.read(org)).resolves.toMatchObject({
        organizationStats: { state: "half_open", openedAt: start, retryAt: null },
        globalStats: { open: 0, halfOpen: 1 },
        overallHealth: { status: "degraded" },
      });
      expect(own.requests.slice(before)).not.toContain("UpdateItemCommand");
      await own.guard(org, succeed);
      await own.guard.flush();
      const half = { consecutiveSuccesses: 1, totalRequests: 7, failureRate: 5 / 6 };
      await expect(own.reader.readOrganization(org)).resolves.toMatchObject(half);
    } finally {
      await separate.stop();
    }
  });

  it("count organizations with a connection, and organizations without one whose circuit is not closed", () => {
    const counted = (connected: number, open: number, halfOpen: number, unconnected: number) => {
      const { organizations, closed } = globalStats(connected, { open, halfOpen, unconnected, held: 0 }, counts(0));
      return { organizations, closed };
    };
    expect(counted(0, 0, 0, 0)).toEqual({ organizations: 0, closed: 0 });
    expect(counted(7, 0, 0, 0)).toEqual({ organizations: 7, closed: 7 });
    expect(counted(7, 2, 1, 0)).toEqual({ organizations: 7, closed: 4 });
    expect(counted(7, 2, 1, 3)).toEqual({ organizations: 10, closed: 7 });
    expect(counted(0, 2, 1, 3)).toEqual({ organizations: 3, closed: 0 });
    // The count of connections lags behind the circuits.
    expect(counted(1, 2, 0, 0)).toEqual({ organizations: 2, closed: 0 });
  });

  it("uses no bucket key as a circuit's key", () => {
    expect([...bucketKeys("a"), ...globalBucketKeys].every((key) => key.includes("."))).toBe(true);
  });
});
