/**
 * `npm run baseline`: compares the template with the baseline, and makes it the baseline if a deployment is safe.
 * `npm run baseline -- --accept` makes it the baseline in any case: only if no deployment has these resources.
 * With `--multi-region-key`, the baseline is that of the context key multiRegionKey (docs/recovery.md).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readTemplates } from "./flat-template.ts";
import { prepareAssembly } from "./prepare-assembly.ts";
import { statefulResourcesOf, violationsOf } from "./stateful-resources.ts";

const BASELINE = join(import.meta.dirname, "stateful-resources.json");
const STACK = "plant-store-dev";

const { accept = false, "multi-region-key": isMultiRegion = false } = parseArgs({
  options: { accept: { type: "boolean" }, "multi-region-key": { type: "boolean" } },
}).values;
const directory = join(import.meta.dirname, "..", ".build", isMultiRegion ? "assembly-multi-region-key" : "assembly");
const assembly = await prepareAssembly(directory, isMultiRegion ? { multiRegionKey: "true" } : {});
const now = statefulResourcesOf(readTemplates(assembly).root, STACK);
const violations = existsSync(BASELINE) ? violationsOf(JSON.parse(readFileSync(BASELINE, "utf8")), now) : [];
for (const violation of violations) console.log(violation);
if (violations.length > 0 && !accept) {
  console.log(
    "The baseline is unchanged. If no deployment has these resources, write it with: npm run baseline -- --accept",
  );
  process.exitCode = 1;
} else {
  writeFileSync(BASELINE, `${JSON.stringify(now, undefined, 2)}\n`);
  console.log(`${BASELINE} holds ${Object.keys(now).length} resources.`);
}
