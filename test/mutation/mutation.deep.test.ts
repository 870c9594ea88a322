/** A sample of the faults of each subject. All of them: `npm run mutate`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "@jest/globals";

const SAMPLE = "12";

it("a sample of the faults is caught, or listed with a reason", () => {
  const { status, stdout, stderr } = spawnSync(
    join(import.meta.dirname, "..", "..", "node_modules", ".bin", "node"),
    ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "mutate.ts"), "--sample", SAMPLE],
    { encoding: "utf8" },
  );
  process.stdout.write(`${stdout}\n`);
  expect({ status, stderr, stdout: status === 0 ? "" : stdout }).toEqual({ status: 0, stderr: "", stdout: "" });
}, 900_000);
