import { rm } from "node:fs/promises";
import { build } from "../infra/build.ts";
import { synthesise } from "../infra/synth.ts";
import { assemblyDirectory } from "./support/assembly.ts";

/** Before all tests: the bundles and the assembly that a deployment would ship, which the tests then run. */
const setUp = async (): Promise<void> => {
  await build();
  await rm(assemblyDirectory, { recursive: true, force: true });
  await synthesise(assemblyDirectory);
};

// biome-ignore lint/style/noDefaultExport: jest wants it.
export default setUp;
