import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let made: string | undefined;

/** Makes `tmpdir()` a new directory, in this process and in all processes that it starts. */
export const makeTemporaryDirectory = (): void => {
  made = mkdtempSync(join(tmpdir(), "plant-store-tests-"));
  process.env.TMPDIR = made;
};

/** Removes that directory with its contents, if there is one. */
export const removeTemporaryDirectory = (): void => {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
  made = undefined;
};

/** Makes a new directory. Those of a run of tests are removed at its end. */
export const newDirectory = (prefix: string): string => mkdtempSync(join(tmpdir(), prefix));
