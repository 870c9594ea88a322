/**
 * Prints the flat template that the present files make. Reload runs this in another process, because modules that are loaded
 * stay as they were. Arguments: a new directory for the assembly, and the context as JSON.
 */
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { setPriority } from "node:os";
import { join } from "node:path";
import { bundleDirectory } from "../../bundling/bundle-directory.ts";
import { functionFiles } from "../../bundling/bundle-functions.ts";
import { readTemplates } from "../../flat-template.ts";

setPriority(19);
const root = join(import.meta.dirname, "..", "..", "..");
enableCompileCache(join(root, ".cache", "node"));
const [directory = "", context = "{}"] = process.argv.slice(2);
try {
  const { localContext } = await import("../../prepare-assembly.ts");
  const { synthesise } = await import("../../synth.ts");
  // A new function has no bundle before the next start.
  for (const name of functionFiles(root).keys()) mkdirSync(bundleDirectory(name), { recursive: true });
  // The code is not part of the comparison, so it is not copied.
  await synthesise(directory, { ...localContext(JSON.parse(context)), "aws:cdk:disable-asset-staging": "true" });
  process.stdout.write(JSON.stringify(readTemplates(directory).flat));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
