/** A sample of the faults of three subjects. All faults: `npm run mutate`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { startPool } from "./pool.ts";

const SUBJECTS = ["errors", "paging", "idempotency"];
const SAMPLE = "20";
const LEAST_PERCENT = 85;

it("the unit tests catch most of a sample of faults", () => {
  const { stdout } = spawnSync(
    join(import.meta.dirname, "..", "..", "node_modules", ".bin", "node"),
    [
      "--disable-warning=ExperimentalWarning",
      join(import.meta.dirname, "mutate.ts"),
      ...SUBJECTS.flatMap((name) => ["--only", name]),
      "--sample",
      SAMPLE,
    ],
    { encoding: "utf8" },
  );
  process.stdout.write(`${stdout}\n`);
  expect(Number(/^all .* ([\d.]+) %$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(LEAST_PERCENT);
}, 900_000);

it("a test file that cannot be loaded ends the run with its name", async () => {
  const pool = startPool([], 1);
  try {
    await expect(pool.cover("test/mutation/none.test.ts")).rejects.toThrow(/^test\/mutation\/none\.test\.ts: /);
  } finally {
    pool.stop();
  }
});
