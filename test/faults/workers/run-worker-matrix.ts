/** Runs the matrix of workers, or a sample or a single cell of it, in lanes side by side. */

import type { Trials } from "../../support/trials.ts";
import { drawOf } from "../fault-plan.ts";
import { type FaultBench, startFaultBench } from "../lanes.ts";
import { patiently } from "../patiently.ts";
import type { Setting } from "../setting.ts";
import type { Snapshot } from "../tables.ts";
import { makeWorld } from "../world.ts";
import { type WorkerCaseName, workerCases } from "./worker-cases.ts";
import {
  commandOf,
  makeReady,
  type ReadyWork,
  runWorkerCell,
  type Verdict,
  type WorkerCell,
  type WorkerResult,
  type Wrong,
  workerCellsOf,
} from "./worker-matrix.ts";

/** `perCase`: as many cells of each case, drawn by the seed; undefined: all. `only`: the cells to choose from. */
export type WorkerMatrixOptions = {
  lanes: number;
  seed: number;
  perCase: number | undefined;
  only?: (cell: WorkerCell) => boolean;
  cases?: readonly WorkerCaseName[];
  onResult?: (result: WorkerResult) => void;
};

const allWorkerCases = Object.keys(workerCases) as WorkerCaseName[];

type Prepared = { setting: Setting; empty: Snapshot };

const prepareLane = async (bench: FaultBench): Promise<Prepared> => {
  const lane = await bench.lane();
  const world = await makeWorld(bench, lane);
  return { setting: { bench, lane, world }, empty: await lane.snapshot() };
};

const choose = (ready: ReadyWork, { seed, perCase, only = () => true }: WorkerMatrixOptions): WorkerCell[] =>
  workerCellsOf(ready)
    .filter(only)
    .sort((a, b) => drawOf(seed, commandOf(a)) - drawOf(seed, commandOf(b)))
    .slice(0, perCase);

/** Each lane takes the next case, because a case is prepared in the lane's own state. */
export const runWorkerMatrix = async (options: WorkerMatrixOptions): Promise<WorkerResult[]> => {
  const bench = await startFaultBench();
  try {
    const results: WorkerResult[] = [];
    const left = [...(options.cases ?? allWorkerCases)];
    const workIn = async ({ setting, empty }: Prepared): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        const ready = await patiently(() => makeReady(setting, empty, name));
        for (const cell of choose(ready, options)) {
          const result = await runWorkerCell(setting, ready, cell);
          options.onResult?.(result);
          results.push(result);
        }
      }
    };
    const lanes: Prepared[] = [];
    for (let i = 0; i < options.lanes; i++) lanes.push(await prepareLane(bench));
    await Promise.all(lanes.map(workIn));
    return results;
  } finally {
    await bench.stop();
  }
};

const verdicts: readonly Verdict[] = ["masked", "repeated", "found", "wrong", "not reached"];
const wrongKinds: readonly Wrong[] = ["lost", "doubled"];

/** A table with a row per case, and a line of totals. */
export const renderWorkerResults = (results: readonly WorkerResult[]): string => {
  const width = Math.max(...allWorkerCases.map((name) => name.length));
  const count = (of: readonly WorkerResult[], wanted: Verdict): number =>
    of.filter(({ verdict }) => verdict === wanted).length;
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)} ${cells.map((cell) => String(cell).padStart(11)).join(" ")}`;
  const rows = allWorkerCases.flatMap((name) => {
    const own = results.filter(({ cell }) => cell.work === name);
    return own.length === 0 ? [] : [row(name, [own.length, ...verdicts.map((verdict) => count(own, verdict))])];
  });
  const totals = wrongKinds.map((kind) => `${kind} ${results.filter(({ wrongs }) => wrongs.includes(kind)).length}`);
  return [row("worker", ["tried", ...verdicts]), ...rows, `tried ${results.length}, ${totals.join(", ")}`].join("\n");
};

/** The cells whose call was made, and how many of them were wrong in which way. Workers have no answers. */
export const countWorkerTrials = (
  results: readonly Pick<WorkerResult, "verdict" | "wrongs">[],
): Omit<Trials, "name"> => {
  const total = (kind: Wrong) => results.filter(({ wrongs }) => wrongs.includes(kind)).length;
  const tried = results.filter(({ verdict }) => verdict !== "not reached").length;
  return { tried, lost: total("lost"), doubled: total("doubled"), leaked: 0, failed: 0 };
};

/** What was wrong in a cell, and how to run it alone. */
export const describeWrong = ({ cell, notes }: WorkerResult): string => [commandOf(cell), ...notes].join("\n    ");
