/**
 * `npm run faults:workers`: the matrix of workers (docs/testing.md).
 *
 *   npm run faults:workers -- --per-case 10 --seed 1      a sample: ten cells of each case
 *   npm run faults:workers                                all cells, which takes hours
 *   npm run faults:workers -- --work "run-sync, full" --call "dynamodb:PutItem:Records#1" --fault lost_reset --times once
 */
import { parseArgs } from "node:util";
import { prepareAssembly } from "../../../infra/prepare-assembly.ts";
import { assemblyDirectory } from "../../support/assembly.ts";
import { describeWrong, renderWorkerResults, runWorkerMatrix } from "./run-worker-matrix.ts";
import { type WorkerCaseName, workerCases } from "./worker-cases.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { work: text, call: text, fault: text, times: text, seed: text, "per-case": text, lanes: text },
});
const { work, call, fault, times, seed = "1", lanes = "2", "per-case": perCase } = values;
const names = Object.keys(workerCases) as WorkerCaseName[];
const cases = names.filter((name) => work === undefined || name === work || workerCases[name].worker === work);
if (cases.length === 0) throw new Error(`--work: expected a worker, or one of ${names.join("; ")}`);

await prepareAssembly(assemblyDirectory);
const results = await runWorkerMatrix({
  lanes: Math.min(cases.length, Number(lanes)),
  cases,
  seed: Number(seed),
  perCase: perCase === undefined ? undefined : Number(perCase),
  only: (cell) =>
    [call ?? cell.call, fault ?? cell.fault, times ?? cell.times].join() === [cell.call, cell.fault, cell.times].join(),
  onResult: (result) => {
    if (result.verdict === "wrong") console.log(describeWrong(result));
  },
});
if (results.length === 0) throw new Error("No good invocation makes this call, or the fault does not apply to it.");
console.log(renderWorkerResults(results));
if (results.some(({ verdict }) => verdict === "wrong")) process.exitCode = 1;
