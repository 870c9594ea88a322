import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newDirectory } from "./temporary-directory.ts";

/** A directory with one function's code, like an asset. global-teardown.ts removes it. */
export const functionDirectory = (source: string, file = "index.mjs"): string => {
  const directory = newDirectory("function-");
  writeFileSync(join(directory, file), source);
  return directory;
};
