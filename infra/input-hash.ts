import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Files that decide what the build and the synthesis produce. The local cloud only runs the result. */
const INPUTS = [
  "functions/**/*.*",
  "shared/**/*.*",
  "infra/**/*.*",
  "docs/verify.mjs",
  "package.json",
  "package-lock.json",
  "cdk.json",
];
const IGNORED = ["infra/local/**"];

/** A hash of all inputs of the build and the synthesis, and of the options. It changes if an input changes. */
export const hashInputs = (root: string, options: unknown = {}): string => {
  const hash = createHash("sha256").update(JSON.stringify([process.version, options]));
  for (const file of globSync(INPUTS, { cwd: root, exclude: IGNORED }).sort()) {
    const contents = readFileSync(join(root, file));
    hash.update(`\0${file}\0${contents.length}\0`).update(contents);
  }
  return hash.digest("hex");
};
