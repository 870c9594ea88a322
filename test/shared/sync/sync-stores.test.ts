import { describe, expect, it } from "@jest/globals";
import type { SetAside } from "../../../shared/records/set-aside.ts";
import { createTable } from "../../../shared/runtime/table.ts";
import { createRunEnd } from "../../../shared/sync/end-run.ts";
import { countSetAside } from "../../../shared/sync/run-set-aside.ts";
import { createSetAsideStore } from "../../../shared/sync/set-aside-store.ts";
import { createSyncEndStore } from "../../../shared/sync/sync-end-store.ts";
import type { ActiveRun } from "../../../shared/sync/sync-item.ts";
import { createSyncLeaseStore } from "../../../shared/sync/sync-lease-store.ts";
import { noProgress } from "../../../shared/sync/sync-run.ts";
import { createSyncRunStore } from "../../../shared/sync/sync-run-store.ts";
import { newWork } from "../../../shared/sync/sync-work.ts";
import { LEASE_MS, LeaseLostError } from "../../../shared/work/lease.ts";
import { startLossyProxy } from "../../support/lossy-proxy.ts";
import { usePerFile } from "../../support/use-started.ts";
import { createStage, NOW, RUNS, type Stage, useSyncEngine } from "./stage.ts";
import { runWith, unusable } from "./step.ts";

const engine = useSyncEngine();
const proxy = usePerFile(() => startLossyProxy(engine.endpoint));

const DAY = 86_400_000;

const owner = { delivery: "delivery", attempt: "1" };

const runOf = (stage: Stage, startedAt = NOW) => ({
  id: stage.newRunId(startedAt),
  trigger: "manual" as const,
  mode: "full" as const,
  startedAt,
  progress: noProgress(),
  work: newWork("full"),
});

/** Runs that are over, a minute apart, oldest first. */
const ended = async (stage: Stage, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { work: _, ...run } = runOf(stage, NOW + i * 60_000);
    await stage.ends.decide(stage.organizationId, { ...run, status: "succeeded", finishedAt: run.startedAt });
    ids.push(run.id);
  }
  return ids;
};

describe("the objects that a run sets aside", () => {
  it("are all counted; at most 20 are named in a run, and none again within 30 days", async () => {
    const { client, organizationId } = createStage(engine);
    const named: string[] = [];
    const count = (run: ActiveRun, now: number, objects: readonly SetAside[]) => {
      const setAsides = createSetAsideStore(createTable(client, RUNS));
      const setAside = async (_organization: string, _account: string, _run: unknown, { name }: SetAside) =>
        void named.push(name);
      const dependencies = { setAsides, events: { setAside }, clock: () => now };
      return countSetAside(dependencies, { organizationId, accountId: "acct_1" }, run, objects);
    };
    const objects = Array.from({ length: 30 }, (_, i) => unusable(`cus_${i}`));
    const begun = await count(runWith(), NOW, objects.slice(0, 15));
    expect((await count(begun, NOW, objects)).work.setAside).toEqual({ count: 45, named: 20 });
    expect((await count(runWith(), NOW + 30 * DAY - 1_000, objects)).work.setAside).toEqual({ count: 30, named: 0 });
    await count(runWith(), NOW + 30 * DAY, objects.slice(0, 1));
    expect(named).toEqual([...objects.slice(0, 20), ...objects.slice(0, 1)].map(({ name }) => name));
  });
});

describe("the list of runs", () => {
  it.each([1, 2, 3, 4, 5, 50])("has each run once with pages of %i, newest first", async (limit) => {
    const stage = createStage(engine);
    const ids = await ended(stage, 4);
    const active = runOf(stage, NOW + 3_600_000);
    await stage.runs.start(stage.organizationId, active);
    const seen: string[] = [];
    let after: { id: string } | undefined;
    do {
      const page = await stage.runs.list(stage.organizationId, { limit, after, now: NOW });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      expect(page.items).not.toEqual([]);
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual([active.id, ...ids.reverse()]);
  });

  it("shows a run that is decided and not closed as running, once", async () => {
    const stage = createStage(engine);
    const run = runOf(stage);
    await stage.runs.start(stage.organizationId, run);
    const { work: _, ...seen } = run;
    const over = await stage.ends.decide(stage.organizationId, { ...seen, status: "succeeded", finishedAt: NOW });
    await expect(stage.list()).resolves.toMatchObject([{ id: run.id, status: "running" }]);
    await stage.ends.close(stage.organizationId, over, { known: "" });
    await expect(stage.list()).resolves.toMatchObject([{ id: run.id, status: "succeeded" }]);
  });

  it("leaves out expired runs and other organizations' runs", async () => {
    const stage = createStage(engine);
    await ended(stage, 2);
    const page = { limit: 50, after: undefined, now: NOW + 90 * DAY };
    await expect(stage.runs.list(stage.organizationId, page)).resolves.toMatchObject({ items: [{}, {}] });
    await expect(stage.runs.list(stage.organizationId, { ...page, now: NOW + 91 * DAY })).resolves.toEqual({
      items: [],
      next: undefined,
    });
    await expect(stage.runs.list(`${stage.organizationId}0`, page)).resolves.toEqual({ items: [], next: undefined });
  });
});

describe("a run", () => {
  it("is the only one of its organization", async () => {
    const stage = createStage(engine);
    const runs = Array.from({ length: 8 }, () => runOf(stage));
    const results = await Promise.allSettled(runs.map((run) => stage.runs.start(stage.organizationId, run)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "sync_running" });
    }
  });

  it("can be withdrawn until a worker takes it, and only then", async () => {
    const stage = createStage(engine);
    const run = runOf(stage);
    await stage.runs.start(stage.organizationId, run);
    await expect(stage.runs.withdraw(stage.organizationId, run.id)).resolves.toBe(true);
    await expect(stage.runs.withdraw(stage.organizationId, run.id)).resolves.toBe(true);
    await expect(stage.list()).resolves.toEqual([]);
    await stage.runs.start(stage.organizationId, run);
    await stage.leases.take(stage.organizationId, run.id, owner, NOW);
    await expect(stage.runs.withdraw(stage.organizationId, run.id)).resolves.toBe(false);
    await stage.leases.release(stage.organizationId, run.id, owner);
    await expect(stage.runs.withdraw(stage.organizationId, run.id)).resolves.toBe(false);
  });

  it("has one worker at a time, until the millisecond in which its lease expires", async () => {
    const stage = createStage(engine);
    const { organizationId, leases } = stage;
    const run = runOf(stage);
    await stage.runs.start(organizationId, run);
    const other = { delivery: "other", attempt: "1" };
    await expect(leases.take(organizationId, "another run", owner, NOW)).resolves.toBeUndefined();
    await expect(leases.take(organizationId, run.id, owner, NOW)).resolves.toMatchObject({ takes: 1 });
    await expect(leases.take(organizationId, run.id, other, NOW + LEASE_MS - 1)).resolves.toBeUndefined();
    await leases.renew(organizationId, run.id, owner, NOW + 1);
    await expect(leases.take(organizationId, run.id, other, NOW + LEASE_MS)).resolves.toBeUndefined();
    await expect(leases.take(organizationId, run.id, other, NOW + LEASE_MS + 1)).resolves.toMatchObject({ takes: 2 });
    await expect(leases.renew(organizationId, run.id, owner, NOW)).rejects.toThrow(LeaseLostError);
    await expect(leases.checkpoint(organizationId, run, owner, NOW)).rejects.toThrow(LeaseLostError);
    await leases.release(organizationId, run.id, owner);
    await expect(leases.take(organizationId, run.id, owner, NOW + LEASE_MS + 1)).resolves.toBeUndefined();
    // A repeated delivery takes over its own lease. A delivery whose id starts alike does not.
    await expect(
      leases.take(organizationId, run.id, { delivery: "oth", attempt: "2" }, NOW + 1),
    ).resolves.toBeUndefined();
    await expect(leases.take(organizationId, run.id, { ...other, attempt: "2" }, NOW + 1)).resolves.toMatchObject({
      takes: 3,
    });
  });

  it("is in the index from its start, or from its first checkpoint if it is scheduled, until its end", async () => {
    const stage = createStage(engine);
    const { organizationId, leases } = stage;
    const active = async () => {
      const ids: string[] = [];
      for await (const id of stage.runs.listActive()) ids.push(id);
      return ids.includes(organizationId);
    };
    await stage.startRun({ organizationId, trigger: "manual" });
    await expect(active()).resolves.toBe(true);
    await stage.runEnd.cancelActive(organizationId, NOW);
    await expect(active()).resolves.toBe(false);
    const run = runOf(stage);
    await leases.begin(organizationId, { run, slot: NOW, owner, now: NOW });
    await expect(active()).resolves.toBe(false);
    await leases.checkpoint(organizationId, run, owner, NOW);
    await expect(active()).resolves.toBe(true);
    await stage.runEnd.cancelActive(organizationId, NOW);
    await expect(active()).resolves.toBe(false);
  });

  it("that a worker decided and did not close has the event of its end after it is cancelled", async () => {
    const stage = createStage(engine);
    const { organizationId, ends } = stage;
    const run = runOf(stage);
    await stage.runs.start(organizationId, run);
    const { work: _, ...seen } = run;
    const error = { category: "network", message: "The provider did not answer." } as const;
    const failed = { ...seen, status: "failed", finishedAt: NOW, error } as const;
    await ends.decide(organizationId, failed);
    await expect(stage.runEnd.cancelActive(organizationId, NOW + 1)).resolves.toMatchObject({ run: failed });
    expect([...stage.recorded.values()]).toMatchObject([
      { eventType: "PROVIDER_SYNC_FAILED", errorMessage: error.message, metadata: { runId: run.id } },
    ]);
    await expect(stage.runs.readState(organizationId)).resolves.not.toHaveProperty("run");
  });

  it("ends once: a later end returns the first", async () => {
    const stage = createStage(engine);
    const { organizationId, ends } = stage;
    const run = runOf(stage);
    await stage.runs.start(organizationId, run);
    await stage.runEnd.cancelActive(organizationId, NOW);
    const { work: _, ...seen } = run;
    const late = { ...seen, status: "succeeded", finishedAt: NOW + 1 } as const;
    await expect(ends.decide(organizationId, late)).resolves.toMatchObject({ status: "cancelled", finishedAt: NOW });
    await ends.close(organizationId, late, { known: "" });
    await expect(stage.runs.readState(organizationId)).resolves.not.toHaveProperty("lastSuccessAt");
  });
});

describe("if the first answer to each call is lost", () => {
  it("a run is still started, taken, renewed, ended and closed", async () => {
    const stage = createStage(engine);
    const { organizationId } = stage;
    const lossy = engine.clientAt(proxy.url);
    const runs = createSyncRunStore(createTable(lossy, RUNS));
    const leases = createSyncLeaseStore(createTable(lossy, RUNS));
    const ends = createSyncEndStore(createTable(lossy, RUNS), { retentionDays: 90 });
    const run = runOf(stage);
    await runs.start(organizationId, run);
    await expect(leases.take(organizationId, run.id, owner, NOW)).resolves.toMatchObject({ run: { id: run.id } });
    await leases.renew(organizationId, run.id, owner, NOW + 1);
    await leases.checkpoint(organizationId, run, owner, NOW + 2);
    await leases.release(organizationId, run.id, owner);
    const { work: _, ...seen } = run;
    const over = { ...seen, status: "succeeded", finishedAt: NOW } as const;
    await expect(ends.decide(organizationId, over)).resolves.toEqual(over);
    await ends.close(organizationId, over, { known: "" });
    await expect(runs.readState(organizationId)).resolves.toMatchObject({ lastSuccessAt: NOW });
    const begun = runOf(stage);
    await expect(leases.begin(organizationId, { run: begun, slot: NOW, owner, now: NOW })).resolves.toMatchObject({
      run: { id: begun.id },
      cursor: { known: "" },
    });
    const events = { ended: async () => undefined };
    await expect(
      createRunEnd({ runs, ends, events, clock: () => NOW }).cancelActive(organizationId, NOW),
    ).resolves.toMatchObject({ run: { status: "cancelled" } });
    await runs.start(organizationId, run);
    await expect(runs.withdraw(organizationId, run.id)).resolves.toBe(true);
  });
});
