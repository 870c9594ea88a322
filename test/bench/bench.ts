/** `npm run bench`: measures the assets of a deployment and prints each metric beside its budget. */
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { build } from "../../infra/build.ts";
import { failWith } from "../../infra/local/commands/fail-with.ts";
import { synthesise } from "../../infra/synth.ts";
import { type Options, readOptions } from "./options.ts";
import { renderTable } from "./render-table.ts";
import type { Bench, Measurement } from "./row.ts";

const progress = (text: string) => void process.stderr.write(`${text}\n`);

const readMeasurements = async (only: readonly string[]): Promise<Measurement[]> => {
  const files = globSync("rows/*.ts", { cwd: import.meta.dirname }).sort();
  const wanted = files.filter((file) => only.length === 0 || only.some((part) => basename(file).includes(part)));
  return Promise.all(wanted.map(async (file) => (await import(join(import.meta.dirname, file))).measurement));
};

const run = async (options: Options): Promise<void> => {
  const workDirectory = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    progress("Building and synthesising …");
    await build();
    const assemblyDirectory = await synthesise(join(workDirectory, "assembly"));
    const bench: Bench = { options, assemblyDirectory, workDirectory, progress };
    for (const { title, measure } of await readMeasurements(options.only)) {
      progress(`${title} …`);
      process.stdout.write(`${renderTable(title, await measure(bench))}\n`);
    }
  } finally {
    rmSync(workDirectory, { recursive: true });
  }
};

try {
  const options = readOptions(process.argv.slice(2));
  if (options !== undefined) await run(options);
} catch (error) {
  failWith(error);
}
