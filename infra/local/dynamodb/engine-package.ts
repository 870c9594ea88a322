/** The package with the embedded engine's program for a platform. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The platforms for which the engine's authors publish a package `@dynoxide/<platform>-<arch>`, with the program in it.
 * The Linux programs are linked statically, so they run with any C library.
 * https://github.com/nubo-db/dynoxide/blob/main/npm/dynoxide/platforms.json
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  "darwin-arm64": "dynoxide",
  "darwin-x64": "dynoxide",
  "linux-arm64": "dynoxide",
  "linux-x64": "dynoxide",
  "win32-x64": "dynoxide.exe",
};

const ENDPOINT =
  "set the environment variable DYNAMODB_ENDPOINT to the address of a DynamoDB-compatible server, " +
  "such as http://127.0.0.1:8000 for DynamoDB Local";

/** The engine's version and the platforms of the lock file, which `npm ci` installs. */
const lockedEngines = (): ReadonlyMap<string, string> => {
  const file = join(import.meta.dirname, "..", "..", "..", "package.json");
  const { optionalDependencies } = JSON.parse(readFileSync(file, "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  return new Map(Object.entries(optionalDependencies).filter(([name]) => name.startsWith("@dynoxide/")));
};

const missing = (platform: string): Error => {
  const name = `@dynoxide/${platform}`;
  if (!(platform in PROGRAMS))
    return new Error(`the embedded DynamoDB engine does not exist for ${platform}: ${ENDPOINT}`);
  const locked = lockedEngines();
  const [version = "latest"] = locked.values();
  const install = locked.has(name) ? "npm ci --include=optional" : `npm install --no-save ${name}@${version}`;
  return new Error(
    `the embedded DynamoDB engine for ${platform} (package ${name}) is not installed: run \`${install}\`, or ${ENDPOINT}`,
  );
};

export const isEngineInstalled = (): boolean => {
  try {
    findEngine();
    return true;
  } catch {
    return false;
  }
};

/** The path of the engine's program. @throws Error that names the package to install and the way without the engine. */
export const findEngine = (platform = `${process.platform}-${process.arch}`): string => {
  const program = PROGRAMS[platform];
  if (program === undefined) throw missing(platform);
  try {
    return fileURLToPath(import.meta.resolve(`@dynoxide/${platform}/${program}`));
  } catch {
    throw missing(platform);
  }
};
