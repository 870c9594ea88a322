import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory with one function's code, like an asset. global-teardown.ts removes it. */
export const functionDirectory = (source: string, file = "index.mjs"): string => {
  const directory = mkdtempSync(join(tmpdir(), "function-"));
  writeFileSync(join(directory, file), source);
  return directory;
};
