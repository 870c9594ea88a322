/**
 * A sample of the matrix of workers (docs/testing.md): single faults are masked or repaired by a repetition, lasting ones
 * leave the work to be found again. `npm run faults:workers` runs all cells, or one.
 */
import { expect, it } from "@jest/globals";
import { fixedSeed } from "../support/fixed-seed.ts";
import { readTestNumber } from "../support/test-environment.ts";
import { addTrials } from "../support/trials.ts";
import { countWorkerTrials, describeWrong, renderWorkerResults, runWorkerMatrix } from "./workers/run-worker-matrix.ts";

const CELLS_PER_CASE = readTestNumber("FAULT_CELLS", 3);

it("every worker completes its work once, whatever call fails and however often", async () => {
  const results = await runWorkerMatrix({ lanes: 2, seed: fixedSeed, perCase: CELLS_PER_CASE });
  process.stdout.write(`\n${renderWorkerResults(results)}\n`);
  addTrials({ name: "calls of workers", ...countWorkerTrials(results) });
  expect(results.filter(({ verdict }) => verdict === "wrong").map(describeWrong)).toEqual([]);
}, 1_200_000);
