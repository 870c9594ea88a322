/**
 * `npm run audit`: checks each package of the lock file (integrity, install scripts, licence), and asks the registry for
 * security advisories. Exit code 1 for a violation or an advisory, 2 if the registry did not answer.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lockViolations } from "./lock-violations.ts";

const root = join(import.meta.dirname, "..", "..");
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

const { help = false, offline = false } = parseArgs({
  options: { help: { type: "boolean" }, offline: { type: "boolean" } },
}).values;
if (help) {
  console.log(
    "npm run audit [-- --offline]\n\n" +
      "Checks integrity, install scripts and licences of package-lock.json, then security advisories.\n" +
      "  --offline  does not ask the registry for advisories",
  );
  process.exit();
}

const { packages } = readJson("package-lock.json");
const violations = lockViolations(packages, readJson("package.json").allowScripts);
for (const violation of violations) console.error(violation);
console.log(`package-lock.json: ${Object.keys(packages).length - 1} packages, ${violations.length} violations`);
if (violations.length > 0) process.exitCode = 1;

/** `npm audit` as JSON; it has `error` instead of `metadata` if the registry did not answer. */
const askRegistry = (): { metadata?: { vulnerabilities: Record<string, number> } } => {
  try {
    return JSON.parse(spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8" }).stdout);
  } catch {
    return {};
  }
};

if (!offline) {
  const vulnerabilities = askRegistry().metadata?.vulnerabilities;
  if (vulnerabilities === undefined) {
    console.error("Advisories: not checked, because the registry did not answer. Try again, or run with --offline.");
    process.exitCode ??= 2;
  } else {
    console.log(`Advisories: ${vulnerabilities.total} (npm audit shows them)`);
    if (vulnerabilities.total !== 0) process.exitCode = 1;
  }
}
