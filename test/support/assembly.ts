import { join } from "node:path";
import { askShared, isShared } from "./shared-server.ts";

/** The directory of the assembly that all tests run. */
export const assemblyDirectory = join(import.meta.dirname, "..", "..", ".build", "assembly");

// In a test file: wait for the bundles and the assembly. Runs whose files do not import this module build neither.
if (isShared()) await askShared("assembly");
