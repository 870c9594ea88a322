/** A sample of the matrix of endpoints (docs/testing.md). `npm run faults` runs all of it. */
import { expect, it } from "@jest/globals";
import { addTrials } from "../support/trials.ts";
import { countTrials, explainResult, renderResults, runMatrix } from "./run-endpoint-matrix.ts";

const MINUTES = 60_000;

it(
  "every endpoint answers right under faults of its services, and nothing is lost or happens twice",
  async () => {
    const results = await runMatrix({ seed: 1, share: { once: 0.03, more: 0.006 } });
    process.stdout.write(`\n${renderResults(results)}\n`);
    addTrials({ name: "calls of endpoints", ...countTrials(results) });
    expect(results.flatMap((result) => explainResult(result) ?? [])).toEqual([]);
  },
  30 * MINUTES,
);
