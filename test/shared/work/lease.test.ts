import { beforeEach, describe, expect, it } from "@jest/globals";
import { getItem, putItem } from "../../../shared/runtime/table.ts";
import { createHeldLease, LEASE_MS, LeaseLostError } from "../../../shared/work/lease.ts";
import { createLeaseStore, newLease } from "../../../shared/work/lease-store.ts";
import { followPlan } from "../../faults/fault-plan.ts";
import { startFaultProxy } from "../../faults/fault-proxy.ts";
import { useDatabase } from "../../support/use-table.ts";

const NOW = 1_800_000_000_000;
const owner = { delivery: "delivery", attempt: "1" };
const other = { delivery: "other", attempt: "1" };
const isOpen = { condition: "#status = :open", values: { open: "open" } };

const database = useDatabase("exports");
const table = database.table("exports");
const leases = createLeaseStore(table);

let jobs = 0;
let key: { scope: string; key: string };
beforeEach(async () => {
  key = { scope: "org#acme", key: `job#${++jobs}` };
  await putItem(table, { ...key, status: "open" });
});

const read = () => getItem(table, key);

describe("the lease of a job", () => {
  it("has one owner until the millisecond in which it expires", async () => {
    await expect(leases.take(key, owner, NOW, isOpen)).resolves.toEqual({
      ...key,
      status: "open",
      takes: 1,
      leaseOwner: "delivery 1",
      leaseUntil: NOW + LEASE_MS,
    });
    await expect(leases.take(key, other, NOW + LEASE_MS - 1, isOpen)).resolves.toBeUndefined();
    await expect(leases.take(key, other, NOW + LEASE_MS, isOpen)).resolves.toMatchObject({ takes: 2 });
    await expect(leases.renew(key, owner, NOW)).rejects.toThrow(LeaseLostError);
  });

  it("is given to one of many workers that take it at once", async () => {
    const owners = Array.from({ length: 8 }, (_, i) => ({ delivery: `d${i}`, attempt: "1" }));
    const taken = await Promise.all(owners.map((one) => leases.take(key, one, NOW, isOpen)));
    expect(taken.filter((item) => item !== undefined)).toHaveLength(1);
  });

  it("goes to a repetition of the same delivery at once, and not to a delivery whose id starts alike", async () => {
    await leases.take(key, owner, NOW, isOpen);
    await expect(leases.take(key, { delivery: "deliver", attempt: "1" }, NOW, isOpen)).resolves.toBeUndefined();
    await expect(leases.take(key, { ...owner, attempt: "2" }, NOW, isOpen)).resolves.toMatchObject({ takes: 2 });
    await expect(leases.renew(key, owner, NOW)).rejects.toThrow(LeaseLostError);
  });

  it("counts a take once if its answers are lost, and again for the next attempt of the delivery", async () => {
    const proxy = await startFaultProxy(database.running().endpoint);
    try {
      const behind = createLeaseStore(database.table("exports", database.clientAt(proxy.url)));
      proxy.use(followPlan({ call: "dynamodb:UpdateItem:exports#1", fault: "lost_reset", times: "twice" }));
      await expect(behind.take(key, owner, NOW, isOpen)).resolves.toMatchObject({ takes: 1, leaseOwner: "delivery 1" });
      expect(proxy.requests().map(({ fault }) => fault)).toEqual(["lost_reset", "lost_reset", undefined]);
      proxy.use(followPlan({ call: "dynamodb:UpdateItem:exports#1", fault: "lost_reset", times: "once" }));
      await expect(behind.take(key, { ...owner, attempt: "2" }, NOW, isOpen)).resolves.toMatchObject({ takes: 2 });
      await expect(behind.take(key, owner, NOW, isOpen)).resolves.toMatchObject({ takes: 3 });
      await expect(behind.take(key, other, NOW, isOpen)).resolves.toBeUndefined();
    } finally {
      await proxy.close();
    }
  });

  it("is not taken if the subject's own condition does not hold, and creates no item", async () => {
    const missing = { ...key, key: "job#none" };
    await expect(leases.take(missing, owner, NOW, isOpen)).resolves.toBeUndefined();
    await expect(leases.take(key, owner, NOW, { ...isOpen, values: { open: "done" } })).resolves.toBeUndefined();
    await expect(read()).resolves.toEqual({ ...key, status: "open" });
  });

  it("is extended by each renewal and each checkpoint, which only its owner can write", async () => {
    await leases.take(key, owner, NOW, isOpen);
    await leases.renew(key, owner, NOW + 10);
    await expect(read()).resolves.toMatchObject({ leaseUntil: NOW + 10 + LEASE_MS });
    await leases.renew(key, owner, NOW + 20, { ...isOpen, set: { page: 7 }, remove: ["takes"] });
    await expect(read()).resolves.toEqual({
      ...key,
      status: "open",
      page: 7,
      leaseOwner: "delivery 1",
      leaseUntil: NOW + 20 + LEASE_MS,
    });
    await expect(leases.renew(key, other, NOW + 20, { set: { page: 8 } })).rejects.toThrow(LeaseLostError);
    await expect(leases.renew(key, owner, NOW, { ...isOpen, values: { open: "done" } })).rejects.toThrow(
      LeaseLostError,
    );
    await expect(read()).resolves.toMatchObject({ page: 7 });
  });

  it("is free at once after its release; a release by another worker changes nothing", async () => {
    await leases.take(key, owner, NOW, isOpen);
    await leases.release(key, other);
    await expect(leases.take(key, other, NOW + 1, isOpen)).resolves.toBeUndefined();
    await leases.release(key, owner, isOpen);
    await expect(read()).resolves.toEqual({ ...key, status: "open", takes: 1, leaseUntil: 0 });
    await expect(leases.take(key, other, NOW + 1, isOpen)).resolves.toMatchObject({ takes: 2 });
  });

  it("ends with a write of its owner that removes it", async () => {
    await leases.take(key, owner, NOW, isOpen);
    const end = { set: { status: "done" }, remove: ["leaseOwner", "leaseUntil", "takes"] };
    await expect(leases.write(key, other, end)).rejects.toThrow(LeaseLostError);
    await leases.write(key, owner, end);
    await expect(read()).resolves.toEqual({ ...key, status: "done" });
    await expect(leases.write(key, owner, end)).rejects.toThrow(LeaseLostError);
  });

  it("can begin with the write that creates the job", async () => {
    const created = { scope: "org#acme", key: "job#new" };
    const begin = { set: newLease(owner, NOW), condition: "attribute_not_exists(#leaseOwner)", values: {} };
    await expect(leases.update(created, begin)).resolves.toMatchObject({ leaseOwner: "delivery 1" });
    await expect(leases.update(created, begin)).resolves.toBeUndefined();
    await leases.renew(created, owner, NOW);
  });
});

describe("a held lease", () => {
  it("is renewed once a third of its time has passed, and then counts from there", async () => {
    const time = { now: NOW };
    const calls: string[] = [];
    const note = (name: string) => async (_organization: string, _job: unknown, _owner: unknown, now?: number) =>
      void calls.push(`${name} ${now === undefined ? "" : now - NOW}`.trim());
    const held = createHeldLease<{ page: number }>(
      {
        leases: { renew: note("renew"), checkpoint: note("checkpoint"), release: note("release") },
        clock: () => time.now,
      },
      "acme",
      "job",
      owner,
    );
    await held.keep();
    time.now += LEASE_MS / 3 - 1;
    await held.keep();
    time.now += 1;
    await held.keep();
    await held.keep();
    time.now += 1;
    await held.checkpoint({ page: 1 });
    time.now += LEASE_MS / 3 - 1;
    await held.keep();
    await held.confirm();
    time.now += LEASE_MS / 3 - 1;
    await held.keep();
    await held.release();
    expect(calls).toEqual(["renew 15000", "checkpoint 15001", "renew 30000", "release"]);
  });
});
