import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { assemblyDirectory } from "../../support/assembly.ts";
import { fc } from "../../support/fixed-seed.ts";
import { countResources, readMeasured, renderPage } from "./cost.ts";
import { defaultWorkload, monthlyBills, peakNeeds, syncMinutes, totalOf } from "./model.ts";

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

it("the needs of the busiest minute are in the ratio of the organizations", () => {
  const needs = (organizations: number) =>
    new Map(peakNeeds(measured, { ...defaultWorkload, organizations }).map(({ quota, peak }) => [quota, peak]));
  const [none, one, two] = [needs(0), needs(1_000), needs(2_000)];
  for (const [quota, peak] of two) {
    const base = none.get(quota) ?? 0;
    expect(peak - base).toBeCloseTo(2 * ((one.get(quota) ?? 0) - base), 6);
  }
});

it("syncs end when all are dispatched, at twenty a second within half of the interval, if concurrency suffices", () => {
  const minutes = (organizations: number, concurrency: number) =>
    syncMinutes(measured, { ...defaultWorkload, organizations }, concurrency);
  expect(minutes(50, 1_000)).toBeLessThan(0.01);
  expect(minutes(1_250, 1_000)).toBe(1);
  expect(minutes(1_000_000, 1_000)).toBe(120);
  expect(minutes(1_000_000, 10)).toBeGreaterThan(120);
});
