import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type * as z from "zod";

/**
 * Reads a small JSON file of the data directory; `undefined` if the file does not exist.
 * @throws Error naming the file if it does not match the schema.
 */
export const readDataFile = <T>(file: string, schema: z.ZodType<T>): T | undefined => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged: delete it, or start with another data directory`);
  }
};

/** Writes a file atomically. `mode` is the file's mode, 0600 for secrets. */
export const writeDataFile = (file: string, content: unknown, mode = 0o644): void => {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode });
  renameSync(temporary, file);
};
