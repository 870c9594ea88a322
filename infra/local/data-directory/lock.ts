import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { reasonOf } from "../core/data-file.ts";

/** SQLite's code of a lock that another connection holds. https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** The garbage collector would close a database that nothing else holds. */
const locks = new Set<DatabaseSync>();

/**
 * Keeps other local clouds out of an existing directory until `release`, or until this process ends: an open transaction
 * of `lock.sqlite`, which the system ends with the process. The file's `user_version` is the id of the last holder.
 * @throws Error that names the process that uses the directory, or says why the directory cannot be written.
 */
export const lockDataDirectory = (directory: string): { release(): void } => {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new Error(
      `the data directory ${directory} cannot be written (${reasonOf(error)}): ` +
        "allow it, or set LOCAL_DATA_DIR to another directory",
    );
  }
  const file = join(directory, "lock.sqlite");
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA synchronous = OFF; BEGIN IMMEDIATE");
    database.exec(`PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`);
  } catch (error) {
    const isHeld = (error as { errcode?: number }).errcode === SQLITE_BUSY;
    const holder = isHeld && database.prepare("PRAGMA user_version").get()?.user_version;
    database.close();
    throw new Error(
      isHeld
        ? `the data directory ${directory} is in use by another local cloud (process ${holder}): ` +
            "stop it, or choose another one with LOCAL_DATA_DIR"
        : `the data directory ${directory} cannot be locked (${(error as Error).message}): delete ${file}`,
    );
  }
  locks.add(database);
  return {
    release: () => {
      if (locks.delete(database)) database.close();
    },
  };
};
