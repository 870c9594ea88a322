/**
 * `npm run called-at-start`: lists the functions of packages that a cold start of the plant endpoints calls
 * (infra/bundling/called-at-start.json). Run it after an upgrade of a package that these endpoints use.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareAssembly } from "../../infra/prepare-assembly.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { readCalledAtStart } from "./called-at-start.ts";

const file = join(import.meta.dirname, "..", "..", "infra", "bundling", "called-at-start.json");

await prepareAssembly(assemblyDirectory);
const workDirectory = mkdtempSync(join(tmpdir(), "called-at-start-"));
try {
  const called = await readCalledAtStart({ assemblyDirectory, workDirectory });
  writeFileSync(file, `${JSON.stringify(called, null, 2)}\n`);
  console.log(`${Object.values(called).flat().length} functions of ${Object.keys(called).length} files`);
} finally {
  rmSync(workDirectory, { recursive: true, force: true });
}
