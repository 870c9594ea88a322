/** The cost of runs: the request units of all their tables, and the reads of the provider. */
import { describe, expect, it } from "@jest/globals";
import { isOptional, type RecordType, recordTypes } from "../../../shared/records/record.ts";
import { systemClock } from "../../../shared/runtime/clock.ts";
import { METERED_TABLES } from "../../support/metered-sync.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { createOrganizationInMemory, unitsOfType } from "../../support/units-of-type.ts";
import { useEngine } from "../../support/use-table.ts";

quietLog();

const engine = useEngine(...METERED_TABLES);

/** An organization that is connected to a provider in memory. */
const createOrganization = async () => {
  const time = { offset: 0 };
  const clock = () => systemClock() + time.offset;
  return { time, ...(await createOrganizationInMemory(engine, clock)) };
};

describe("a quiet run", () => {
  it("costs one read of the provider and 13 request units; the limit is 15", async () => {
    const { run, world, time } = await createOrganization();
    for (const type of recordTypes) world.create(type);
    await run();
    time.offset += 14_400_000;
    world.calls.length = 0;
    const quiet = await run();
    expect(quiet.run).toMatchObject({ mode: "incremental", status: "succeeded" });
    expect(world.calls).toHaveLength(1);
    // Read: the connection, the circuit before the first request. Written: the run's beginning, its end and its closing;
    // three security events of types that no index holds, and their hour, in an index; the read, counted; the circuit's
    // statistics, the organization's and the sum.
    expect(quiet.units).toEqual({ read: 2, write: 3 + 3 + 2 + 1 + 2 });
    expect(quiet.units.read + quiet.units.write).toBeLessThanOrEqual(15);
  });
});

describe("a full run", () => {
  it("costs little more than its record writes, and no write for an unchanged record", async () => {
    const { run, world } = await createOrganization();
    const count = 500;
    for (let i = 0; i < count; i++) {
      world.create("customers", { name: "Ada" }, { isSilent: true, createdAt: 1e12 + i * 1_000 });
    }
    const each = ({ units: { read, write } }: Awaited<ReturnType<typeof run>>) => ({
      read: read / count,
      write: write / count,
    });
    const first = await run();
    expect(first.run).toMatchObject({ mode: "full", status: "succeeded", progress: { customers: { written: count } } });
    // Per object: a record, its entries in the lists of its type and of names, and 1/100 of a page's ids, checkpoint and event.
    expect(each(first).write).toBeLessThan(3.2);
    expect(each(first).read).toBeLessThan(0.8);
    const again = await run("full");
    expect(again.run).toMatchObject({ mode: "full", status: "succeeded", progress: { customers: { written: 0 } } });
    // The ids of the pages, and what the empty lists of the other types cost.
    expect(each(again).write).toBeLessThan(0.17);
    expect(each(again).read).toBeLessThan(0.8);
  });

  it("writes a payment once, with its invoice", async () => {
    const { run, world } = await createOrganization();
    const count = 500;
    for (let i = 0; i < count; i++) {
      const id = world.create("payments", { customerId: "cus_1" }, { isSilent: true, createdAt: 1e12 + i * 1_000 });
      world.link(id, `in_${i}`);
    }
    const { units } = await run();
    // The record, its two indexes, and its share of the page of links and of the empty lists of the other types.
    expect(units.write / count).toBeLessThan(3.25);
  });

  it("costs no more for refunds, disputes and payouts than for the other types", async () => {
    const of = (type: RecordType) => unitsOfType(engine, type, { count: 300, clock: systemClock });
    const payments = await of("payments");
    for (const type of recordTypes.filter(isOptional)) {
      const { read, write } = await of(type);
      // An entry in another list would cost one unit; a slow worker may renew its lease once more.
      expect([type, write < payments.write + 0.1, read < payments.read + 0.1]).toEqual([type, true, true]);
    }
  });
});
