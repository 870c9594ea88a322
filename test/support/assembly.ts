import { join } from "node:path";

/** The directory of the assembly that all tests run; global-setup.ts prepares it. */
export const assemblyDirectory = join(import.meta.dirname, "..", "..", ".build", "assembly");
