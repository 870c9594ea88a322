/**
 * Opens a data directory: locks it, and checks every file before it reads or writes data. It does not change a damaged
 * directory. Import this module before slow ones, so that its errors come before the build.
 */
import { mkdirSync, type StatsFs, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { codeOf, damagedFile, openDataFile, readDataFile, reasonOf, writeDataFile } from "../core/data-file.ts";
import { stopOrphanedEngine } from "../dynamodb/embedded-engine.ts";
import { checkDatabase, checkLock, type Problem } from "./check-database.ts";
import { lockDataDirectory } from "./lock.ts";

/** A directory that this process has locked and checked. */
export type DataDirectory = {
  directory: string;
  /** Lists the files that this start has completed. From now on they must exist and be whole. */
  complete(): void;
  /** Lets other local clouds use the directory. */
  release(): void;
};

/** The databases. Each may have a write-ahead log and its index beside it. */
const DATABASES = ["dynamodb.sqlite", "objects.sqlite", "queues.sqlite", "provider.sqlite"];
/** The small JSON files. */
const DATA_FILES = [
  "clock.json",
  "issuer-keys.json",
  "issuer-sessions.json",
  "kms-keys.json",
  "schedules.json",
  "secrets.json",
];

/**
 * `contents.json` lists the files that belong to a used directory. It is written before anything else in the directory. A
 * file is added when a start has completed it, before the first request. So a missing or empty file is a damage if it is
 * listed, and else the remainder of a killed first start.
 */
const CONTENTS = "contents.json";
const Contents = z.object({
  /** The format of the directory; the first versions wrote none. */
  format: z.int().default(1),
  files: z.array(z.string()),
});
/** Raised when a version writes files that earlier versions cannot read. */
const FORMAT = 1;

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

/**
 * The list of files; undefined for a new directory, and for one of the first versions, which wrote no list.
 * @throws Error if the list is damaged, was written by a newer version, or is missing beside files that were written after it.
 */
const readContents = (directory: string): z.infer<typeof Contents> | undefined => {
  const file = join(directory, CONTENTS);
  const contents = readDataFile(file, Contents);
  if (contents !== undefined && contents.format > FORMAT)
    throw new Error(
      `the data directory ${directory} was written by a newer version (format ${contents.format}, this version reads up to ${FORMAT}): ` +
        "start the newer version, or set LOCAL_DATA_DIR to another directory",
    );
  // The first versions wrote no checksums either.
  const isSealed = (found: ReturnType<typeof openDataFile>) => typeof found === "object" && found.sealed;
  if (contents === undefined && DATA_FILES.some((name) => isSealed(openDataFile(join(directory, name)))))
    throw damagedFile(file, "is missing");
  return contents;
};

/** @param listed the files that must exist and must not be empty. @throws Error that names the first damaged file. */
const requireWhole = (directory: string, listed: readonly string[]): void => {
  const pathOf = (name: string) => join(directory, name);
  for (const name of listed) if (!exists(pathOf(name))) throw damagedFile(pathOf(name), "is missing");
  for (const name of DATA_FILES) {
    const found = openDataFile(pathOf(name));
    if (typeof found === "string") throw damagedFile(pathOf(name), found);
  }
  const databases = DATABASES.filter((name) => exists(pathOf(name)));
  const requireNone = (found: Problem | undefined) => {
    if (found !== undefined) throw damagedFile(found.file, found.problem);
  };
  for (const name of databases) requireNone(checkDatabase(pathOf(name), !listed.includes(name)));
  // The write lock changes the files, so it comes after the checks.
  for (const name of databases) requireNone(checkLock(pathOf(name)));
};

/** Makes the missing directories one by one. Node's own way never ends below some directories, such as /proc. */
const makeDirectories = (directory: string): void => {
  if (!exists(dirname(directory))) makeDirectories(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it at the same time.
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
  if (isFull(statfsSync(directory))) throw diskFull(directory);
  const { release } = lockDataDirectory(directory);
  try {
    await stopOrphanedEngine(directory);
    const contents = readContents(directory);
    const existing = () => [...DATABASES, ...DATA_FILES].filter((name) => exists(join(directory, name)));
    // Earlier versions read `unsealed`.
    const list = (files: readonly string[]) =>
      writeDataFile(join(directory, CONTENTS), { format: FORMAT, files, unsealed: [] });
    // The first versions wrote schedules.json after they had completed all databases.
    const listed = contents?.files ?? (exists(join(directory, "schedules.json")) ? existing() : []);
    requireWhole(directory, listed);
    if (contents === undefined) list(listed);
    return { directory, complete: () => list(existing()), release };
  } catch (error) {
    release();
    throw error;
  }
};
