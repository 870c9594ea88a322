import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "./build.ts";
import { hashInputs } from "./input-hash.ts";

const root = join(import.meta.dirname, "..");

/** A file in an assembly's directory: the hash of the assembly's inputs. */
const HASH_FILE = "inputs.sha256";

/** The manifest and the templates. They identify assets by content hashes, so equal texts mean equal assemblies. */
const textsOf = (directory: string): string =>
  JSON.stringify(
    globSync("*.json", { cwd: directory })
      .sort()
      .map((file) => [file, readFileSync(join(directory, file), "utf8")]),
  );

/**
 * Synthesises into a directory, unless the directory holds the assembly of the same inputs and options.
 * An equal assembly is never replaced: another process may be running it.
 */
export const reuseAssembly = async (
  directory: string,
  options: unknown,
  synthesise: (outputDirectory: string) => Promise<unknown>,
): Promise<string> => {
  const hashFile = join(directory, HASH_FILE);
  const hash = hashInputs(root, options);
  if (existsSync(hashFile) && readFileSync(hashFile, "utf8") === hash) return directory;
  mkdirSync(dirname(directory), { recursive: true });
  const made = join(mkdtempSync(`${directory}-`), basename(directory));
  try {
    await synthesise(made);
    if (!existsSync(directory) || textsOf(made) !== textsOf(directory)) {
      rmSync(directory, { recursive: true, force: true });
      renameSync(made, directory);
    }
    writeFileSync(hashFile, hash);
  } finally {
    rmSync(dirname(made), { recursive: true, force: true });
  }
  return directory;
};

/**
 * Builds the service and synthesises it into a directory, both only if their inputs changed.
 * @param context see config.ts
 */
export const prepareAssembly = async (
  directory: string,
  context: Readonly<Record<string, string>> = {},
): Promise<string> => {
  await build();
  return reuseAssembly(directory, { context }, async (outputDirectory) => {
    // Imported here, because loading the CDK takes longer than all other work.
    const { synthesise } = await import("./synth.ts");
    return synthesise(outputDirectory, context);
  });
};
