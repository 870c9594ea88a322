import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../core/data-file.ts";

/** The directories of the checkout that a start or a test writes to. All can be deleted. */
const DIRECTORIES = [".build", ".cache", ".local"];

/** Creates them. @throws Error that names the first one that cannot be written, and says what to do. */
export const requireCheckoutDirectories = (root: string): void => {
  for (const directory of DIRECTORIES.map((name) => join(root, name))) {
    try {
      mkdirSync(directory, { recursive: true });
      accessSync(directory, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new Error(
        `the directory ${directory} cannot be written (${reasonOf(error)}): allow it for this user, or delete what is there`,
      );
    }
  }
};
