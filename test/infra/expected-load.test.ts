import { describe, expect, it } from "@jest/globals";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { parseContext } from "../../infra/config.ts";
import { INITIAL_UNITS, warmThroughputFor } from "../../infra/constructs/resources/expected-load.ts";
import { createTables } from "../../infra/constructs/resources/tables.ts";
import { type TableSpec, tables } from "../../shared/terms/tables.ts";
import { readMeasured } from "../bench/cost/cost.ts";
import { defaultWorkload, peakUnits } from "../bench/cost/model.ts";
import { quotas } from "../bench/cost/prices.ts";

type Warm = { ReadUnitsPerSecond: number; WriteUnitsPerSecond: number };

/** The warm throughput of each table and index that has one, as `[reads, writes]`. */
const warmWith = (context: object): Record<string, [number, number]> => {
  const stack = new Stack(new App(), "Stack");
  createTables(stack, parseContext({ ...context }));
  const found = Object.entries(Template.fromStack(stack).findResources("AWS::DynamoDB::Table"));
  const parts = found.flatMap(([id, { Properties }]): [string, Warm | undefined][] => {
    const name = id.replace(/^Tables|[0-9A-F]{8}$/g, "");
    const indexes: { IndexName: string; WarmThroughput?: Warm }[] = Properties.GlobalSecondaryIndexes ?? [];
    return [
      [name, Properties.WarmThroughput],
      ...indexes.map(({ IndexName, WarmThroughput }): [string, Warm | undefined] => [
        `${name}/${IndexName}`,
        WarmThroughput,
      ]),
    ];
  });
  return Object.fromEntries(
    parts.flatMap(([name, warm]) =>
      warm === undefined ? [] : [[name, [warm.ReadUnitsPerSecond, warm.WriteUnitsPerSecond]]],
    ),
  );
};

describe("the tables of the template", () => {
  it("are not warmed unless the deployment asks for it", () => {
    expect(warmWith({})).toEqual({});
    expect(warmWith({ expectedOrganizations: 1_000_000 })).toEqual({});
  });

  it("are warmed where the expected load exceeds what a new table serves", () => {
    expect(warmWith({ expectedOrganizations: 130_000, prewarmTables: "true" })).toEqual({});
    expect(warmWith({ expectedOrganizations: 1_000_000, prewarmTables: "true" })).toEqual({
      Circuits: [12_000, 7_176],
      Connections: [12_000, 5_325],
      Evidence: [12_000, 17_477],
      SecurityEvents: [40_000, 7_408],
      SecurityRollups: [18_288, 30_325],
      "SecurityRollups/byOpenHour": [12_000, 18_982],
      Settings: [13_426, 4_000],
      SyncRuns: [12_000, 14_237],
      WebhookEvents: [12_000, 7_176],
      "WebhookEvents/byPending": [12_000, 4_862],
      "WebhookEvents/byReceipt": [12_000, 4_862],
    });
  });
});

describe("the warm throughput", () => {
  const organizations = 1_000_000;
  const needs = peakUnits(readMeasured(), { ...defaultWorkload, organizations });
  const parts = Object.entries(tables).flatMap(([name, { indexes = [] }]: [string, TableSpec]) => [
    name,
    ...indexes.map((index) => `${name}/${index.name}`),
  ]);

  it.each(parts)("of %s covers the measured load, with a tenth to spare at most", (part) => {
    const { reads = 0, writes = 0 } = needs[part] ?? {};
    const least = [Math.min(reads, quotas.tableReads.highest), Math.min(writes, quotas.tableWrites.highest)];
    const warm = warmThroughputFor(part, organizations);
    const given = [warm?.readUnitsPerSecond ?? INITIAL_UNITS.reads, warm?.writeUnitsPerSecond ?? INITIAL_UNITS.writes];
    const initial = [INITIAL_UNITS.reads, INITIAL_UNITS.writes];
    for (const [i, units] of given.entries()) {
      expect(units).toBeGreaterThanOrEqual(least[i] ?? Number.NaN);
      expect(units).toBeLessThanOrEqual(Math.max(initial[i] ?? Number.NaN, 1.1 * (least[i] ?? Number.NaN)));
    }
  });
});
