import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { assemblyDirectory } from "../../support/assembly.ts";
import { fc } from "../../support/fixed-seed.ts";
import { countResources, readMeasured, renderPage } from "./cost.ts";
import {
  defaultWorkload,
  monthlyBills,
  type Need,
  organizationsAt,
  peakNeeds,
  syncMinutes,
  totalOf,
  type Workload,
} from "./model.ts";
import { quotas } from "./prices.ts";
import type { Measured } from "./usage.ts";

const measured = readMeasured();
const page = readFileSync(join(import.meta.dirname, "../../../docs/cost.md"), "utf8");
const total = (organizations: number, more: Partial<typeof defaultWorkload> = {}): number =>
  Object.values(monthlyBills(measured, { ...defaultWorkload, ...more, organizations })).reduce(
    (sum, bill) => sum + totalOf(bill),
    0,
  );
const amount = fc.double({ min: 0, max: 1e6, noNaN: true });

describe("the cost of a month", () => {
  it("stands in docs/cost.md as it is computed", () => {
    expect(page).toContain("### USD a month, by cause");
    expect(renderPage(page, measured)).toBe(page);
  });

  it("counts what the template has today", () => {
    expect(countResources(assemblyDirectory)).toEqual(measured.resources);
  });

  it("is what happens without organizations, and the same for each further one", () => {
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(total(a + b) - total(0)).toBeCloseTo(total(a) + total(b) - 2 * total(0), 3);
      }),
    );
  });

  it("rises with each assumption about the load", () => {
    for (const more of [
      { webhooks: 21 },
      { writes: 11 },
      { reads: 41 },
      { coldShare: 0.2 },
      { slower: 3 },
      { retentionDays: 91 },
    ])
      expect(total(100, more)).toBeGreaterThan(total(100));
  });

  it("attributes no negative cost to any cause", () => {
    for (const bill of Object.values(monthlyBills(measured, { ...defaultWorkload, organizations: 1 })))
      expect(Math.min(...Object.values(bill))).toBeGreaterThanOrEqual(0);
  });
});

describe("the needs of the busiest minute", () => {
  const load = (organizations: number, more: Partial<Workload> = {}): Workload => {
    const workload = { ...defaultWorkload, organizations };
    return { ...workload, ...more };
  };
  const needs = (organizations: number, usage: Measured = measured, more: Partial<Workload> = {}) =>
    new Map(peakNeeds(usage, load(organizations, more)).map(({ quota, peak }) => [quota, peak]));
  const needOf = (quota: Need["quota"], usage: Measured, more?: Partial<Workload>) =>
    needs(1_000, usage, more).get(quota) ?? Number.NaN;

  it("are in the ratio of the organizations", () => {
    const [none, one, two] = [needs(0), needs(1_000), needs(2_000)];
    for (const [quota, peak] of two) {
      const base = none.get(quota) ?? 0;
      expect(peak - base).toBeCloseTo(2 * ((one.get(quota) ?? 0) - base), 6);
    }
  });

  it("count an instance that starts as a concurrent execution", () => {
    const slowStart = { ...measured, initMs: 2 * measured.initMs };
    expect(needOf("concurrency", slowStart)).toBeGreaterThan(needOf("concurrency", measured));
    expect(needOf("concurrency", measured, { coldShare: 0.2 })).toBeGreaterThan(needOf("concurrency", measured));
  });

  it("count each delivery of an event, not each event", () => {
    const day = measured.organizationDay;
    const delivered = { ...measured, organizationDay: { ...day, busInvocations: 2 * day.busInvocations } };
    expect(needOf("busInvocations", delivered)).toBeGreaterThan(needOf("busInvocations", measured));
    expect(needOf("busEvents", delivered)).toBe(needOf("busEvents", measured));
  });

  it("are those of the busiest table with its indexes", () => {
    const parts = {
      organizationDay: {
        records: { reads: 0, writes: 8_640 },
        "records/byCreated": { reads: 0, writes: 4_320 },
        settings: { reads: 0, writes: 10_000 },
      },
      webhook: {},
      write: {},
      read: {},
    };
    expect(needOf("tableWrites", { ...measured, parts })).toBeCloseTo(1_500, 6);
  });

  it("use up a quota at the organizations that are named", () => {
    for (const { quota } of peakNeeds(measured, load(1))) {
      const { highest } = quotas[quota];
      const most = organizationsAt(measured, load(1), { quota }, highest);
      expect(needs(most).get(quota)).toBeLessThanOrEqual(highest);
      expect(needs(most + 2_000).get(quota)).toBeGreaterThan(highest);
    }
  });
});

it("syncs end when all are dispatched, at twenty a second within half of the interval, if concurrency suffices", () => {
  const minutes = (organizations: number, concurrency: number) =>
    syncMinutes(measured, { ...defaultWorkload, organizations }, concurrency);
  expect(minutes(50, 1_000)).toBeLessThan(0.01);
  expect(minutes(1_250, 1_000)).toBe(1);
  expect(minutes(1_000_000, 1_000)).toBe(120);
  expect(minutes(1_000_000, 10)).toBeGreaterThan(120);
});

it("syncs take longer if instances start more slowly", () => {
  const minutes = (initMs: number) =>
    syncMinutes({ ...measured, initMs }, { ...defaultWorkload, organizations: 1_000_000 }, 10);
  expect(minutes(2 * measured.initMs)).toBeGreaterThan(minutes(measured.initMs));
});
