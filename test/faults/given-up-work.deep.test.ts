/**
 * For each way in which work is handed over: the worker fails three times and the work is given up. Then it is found
 * again, and done once.
 */
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { addTrials } from "../support/trials.ts";
import { type FaultBench, startFaultBench } from "./lanes.ts";
import type { Setting } from "./setting.ts";
import type { Snapshot } from "./tables.ts";
import { givenUpWork } from "./workers/given-up-work.ts";
import { countWorkerTrials } from "./workers/run-worker-matrix.ts";
import type { WorkerCaseName } from "./workers/worker-cases.ts";
import { makeReady, runFaulted } from "./workers/worker-matrix.ts";
import { makeWorld } from "./world.ts";

let bench: FaultBench;
let setting: Setting;
let empty: Snapshot;
beforeAll(async () => {
  bench = await startFaultBench();
  const lane = await bench.lane();
  setting = { bench, lane, world: await makeWorld(bench, lane) };
  empty = await lane.snapshot();
});
afterAll(() => bench.stop());

/** Scheduled runs can be lost before they begin and after, so their request has a second case. */
const ways: [string, WorkerCaseName][] = [
  ...Object.entries(givenUpWork).map(([way, { work }]): [string, WorkerCaseName] => [way, work]),
  ["SyncRequested → run-sync", "run-sync, scheduled"],
  ["SyncRequested → run-sync", "run-sync, full"],
  ["ErasureRequested → run-erasure", "run-erasure, user"],
];

it.each(ways)("%s (%s) is found again and done once", async (way, work) => {
  const ready = await makeReady(setting, empty, work);
  const failing = givenUpWork[way]?.failing;
  const result = await runFaulted(setting, ready, () => failing ?? (() => undefined));
  const { verdict, notes, tries } = result;
  addTrials({ name: "work that is given up", ...countWorkerTrials([result]) });
  expect({ verdict, notes }).toEqual({ verdict: way.includes("→ queue →") ? "repeated" : "found", notes: [] });
  if (!way.includes("subscribers")) expect(tries).toBe(3);
});
