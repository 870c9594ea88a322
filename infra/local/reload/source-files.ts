import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["functions", "shared", "infra"];
const FILES = ["package.json", "package-lock.json", "cdk.json", "tsconfig.json"];

/** Leaves out the temporary files of editors, such as `.#plant.ts` and `plant.ts~`. */
const SOURCE = /(?:^|\/)[^./][^/]*\.(?:tsx?|m?js|json|css|html|svg)$/;

/** The state of each source file by its path, and the folders that contain them. Paths are relative to the checkout. */
export type SourceFiles = { states: ReadonlyMap<string, string>; folders: readonly string[] };

/** Reads the states of the files that `npm start` is made from. Takes about 5 ms. */
export const readSourceFiles = (root: string): SourceFiles => {
  const states = new Map<string, string>();
  const folders: string[] = [];
  const add = (path: string) => {
    const stats = statSync(join(root, path), { throwIfNoEntry: false });
    // A save by rename may keep size and time, but makes another inode.
    if (stats !== undefined) states.set(path, `${stats.ino} ${stats.size} ${stats.ctimeMs}`);
  };
  const walk = (folder: string) => {
    folders.push(folder);
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (SOURCE.test(path)) add(path);
    }
  };
  for (const folder of FOLDERS) walk(folder);
  for (const file of FILES) add(file);
  return { states, folders: [".", ...folders] };
};

/** The paths of the files that were added, changed or removed, in order. */
export const changedFiles = ({ states: before }: SourceFiles, { states: after }: SourceFiles): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort();
