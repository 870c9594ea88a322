import { join } from "node:path";

/** Where the tests' own synthesis of the service lies; made once before all of them (test/global-setup.ts). */
export const assemblyDirectory = join(import.meta.dirname, "..", "..", ".build", "assembly");
