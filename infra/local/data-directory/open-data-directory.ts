/**
 * Opens a data directory: locks it, and checks every file before it reads or writes data. It does not change a damaged
 * directory. Import this module before slow ones, so that its errors come before the build.
 */
import { mkdirSync, type StatsFs, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, damagedFile, openDataFile, reasonOf } from "../core/data-file.ts";
import { stopOrphanedEngine } from "../dynamodb/orphaned-engine.ts";
import { checkDatabase, checkLock, type Problem } from "./check-database.ts";
import {
  CONTENTS,
  type Contents,
  DATA_FILES,
  DATABASES,
  FORMAT,
  readContents,
  wholeDataFiles,
  writeContents,
} from "./contents.ts";
import { lockDataDirectory } from "./lock.ts";

/** A directory that this process has locked and checked. */
export type DataDirectory = {
  directory: string;
  /** Lists the files that this start has completed. From now on they must exist and be whole. */
  complete(): void;
  /** Lets other local clouds use the directory. */
  release(): void;
};

/** Less than a start writes. */
const MIN_FREE_BYTES = 1024 * 1024;

/** Whether a file system is full; false if it does not say its size. */
export const isFull = ({ bavail, bsize, blocks }: Pick<StatsFs, "bavail" | "bsize" | "blocks">): boolean =>
  blocks > 0 && bavail * bsize < MIN_FREE_BYTES;

const diskFull = (directory: string) =>
  new Error(
    `the disk of the data directory ${directory} is full: free some space, or set LOCAL_DATA_DIR to another disk`,
  );

/** What an error of a start means if the disk is full; else the error itself. */
export const explainStartError = (error: unknown, directory: string): unknown => {
  try {
    return isFull(statfsSync(directory)) ? diskFull(directory) : error;
  } catch {
    return error;
  }
};

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined;

const checkDataFile = (file: string, mustBeSealed: boolean): Problem | undefined => {
  const found = openDataFile(file);
  if (typeof found === "string") return { file, problem: found };
  return found?.sealed === false && mustBeSealed
    ? { file, problem: "is damaged (its checksum is missing)" }
    : undefined;
};

/** Earlier versions have no list. They wrote this file after they had completed all databases. */
const isEarlier = (directory: string): boolean => exists(join(directory, "schedules.json"));

/** The first problem of the files. @param contents undefined for a directory of an earlier version, which has no list. */
const findProblem = (directory: string, contents: Contents | undefined): Problem | undefined => {
  const isListed = (name: string) => contents?.files.includes(name) ?? isEarlier(directory);
  for (const name of contents?.files ?? []) {
    const file = join(directory, name);
    if (!exists(file)) return { file, problem: "is missing" };
  }
  for (const name of DATA_FILES) {
    const mustBeSealed = contents !== undefined && !contents.unsealed.includes(name);
    const problem = checkDataFile(join(directory, name), mustBeSealed);
    if (problem !== undefined) return problem;
  }
  const databases = DATABASES.map((name) => ({ file: join(directory, name), name })).filter(({ file }) => exists(file));
  for (const { file, name } of databases) {
    const problem = checkDatabase(file, !isListed(name));
    if (problem !== undefined) return problem;
  }
  for (const { file } of databases) {
    const problem = checkLock(file);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const requireFormat = (directory: string, { format }: Contents): void => {
  if (format <= FORMAT) return;
  throw new Error(
    `the data directory ${directory} was written by a newer version (format ${format}, this version reads up to ${FORMAT}): ` +
      "start the newer version, or set LOCAL_DATA_DIR to another directory",
  );
};

/**
 * @throws Error if the list of files is damaged, was written by a newer version, or is missing beside files that were
 *   written after it.
 */
const requireContents = (directory: string): Contents | undefined => {
  const contents = readContents(directory);
  const lost = contents === undefined && wholeDataFiles(directory).some(({ sealed }) => sealed);
  if (contents !== undefined && typeof contents !== "string") requireFormat(directory, contents);
  if (!lost && typeof contents !== "string") return contents;
  throw new Error(
    `${join(directory, CONTENTS)} ${lost ? "is missing" : contents}: restore the file from a backup, ` +
      `or delete the whole directory ${directory} to start anew`,
  );
};

/** Makes the missing directories one by one. Node's own way never ends below some directories, such as /proc. */
const makeDirectories = (directory: string): void => {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  if (!exists(dirname(directory))) makeDirectories(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (codeOf(error) !== "EEXIST" || !statSync(directory).isDirectory()) throw error;
  }
};

const makeDirectory = (directory: string): void => {
  try {
    makeDirectories(directory);
  } catch (error) {
    throw new Error(
      `the data directory ${directory} cannot be created (${reasonOf(error)}): set LOCAL_DATA_DIR to another directory`,
    );
  }
};

/**
 * Locks and checks a data directory, and creates it if it does not exist. An engine that a killed local cloud left
 * behind is stopped first.
 * @throws Error that names the damaged file, or the process that uses the directory, and says what to do.
 */
export const openDataDirectory = async (directory: string): Promise<DataDirectory> => {
  makeDirectory(directory);
  const lock = lockDataDirectory(directory);
  try {
    if (isFull(statfsSync(directory))) throw diskFull(directory);
    await stopOrphanedEngine(directory);
    const contents = requireContents(directory);
    const found = findProblem(directory, contents);
    if (found !== undefined) throw damagedFile(found.file, found.problem);
    const complete = (names: readonly string[]): void => {
      const whole = wholeDataFiles(directory);
      const unsealed = whole.filter(({ sealed }) => !sealed).map(({ name }) => name);
      writeContents(directory, { files: [...names, ...whole.map(({ name }) => name)], unsealed });
    };
    const existing = () => DATABASES.filter((name) => exists(join(directory, name)));
    if (contents === undefined) complete(isEarlier(directory) ? existing() : []);
    return { directory, complete: () => complete(existing()), release: lock.release };
  } catch (error) {
    lock.release();
    throw error;
  }
};
