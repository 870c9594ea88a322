import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let made: string | undefined;

/** From now on `tmpdir()` is a new folder, in this process and in those that it starts. */
export const makeTemporaryDirectory = (): void => {
  made = mkdtempSync(join(tmpdir(), "plant-store-tests-"));
  process.env.TMPDIR = made;
};

/** Removes the folder that was made here with all that is in it; does nothing where none was. */
export const removeTemporaryDirectory = (): void => {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
  made = undefined;
};
