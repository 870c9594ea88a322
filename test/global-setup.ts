import { cpSync, globSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../infra/build.ts";
import { synthesise } from "../infra/synth.ts";
import { assemblyDirectory } from "./support/assembly.ts";
import { makeTemporaryDirectory } from "./support/temporary-directory.ts";

const contentsOf = (directory: string) =>
  globSync("*.json", { cwd: directory })
    .sort()
    .map((file) => [file, readFileSync(join(directory, file), "utf8")]);

/**
 * Before all tests: the bundles and the assembly that a deployment would ship, which the tests then run. Another run
 * of the same checkout may be using them: what is as it should be is left alone. Whatever the tests of this run put
 * into the machine's folder for temporary files lies in one folder, which goes with it (global-teardown.ts).
 */
const setUp = async (): Promise<void> => {
  makeTemporaryDirectory();
  await build();
  const made = join(tmpdir(), "assembly");
  await synthesise(made);
  // Assets are named by what is in them, so that the templates say all.
  if (JSON.stringify(contentsOf(made)) === JSON.stringify(contentsOf(assemblyDirectory))) return;
  rmSync(assemblyDirectory, { recursive: true, force: true });
  cpSync(made, assemblyDirectory, { recursive: true });
};

// biome-ignore lint/style/noDefaultExport: jest wants it.
export default setUp;
