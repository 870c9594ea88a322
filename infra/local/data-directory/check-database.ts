/** Checks an SQLite file without changing it. Format: https://sqlite.org/fileformat2.html#the_database_header */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf, reasonOf } from "../core/data-file.ts";
import { findLostCommits, hasWriteAheadLog } from "./write-ahead-log.ts";

const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
/** Opening a larger database checks its header, its size and its tables, because `quick_check` reads every page. */
const MAX_CHECKED_BYTES = 512 * 1024 * 1024;

/** The problem of a file: `file` is the database or its write-ahead log, `problem` completes "FILE …". */
export type Problem = { file: string; problem: string };

/** Bytes of the header that have one right value in the databases of the local cloud. */
const CONSTANTS: readonly (readonly [at: number, bytes: readonly number[]])[] = [
  [18, [2, 2, 0, 64, 32, 32]],
  [48, new Array<number>(8).fill(0)],
  [60, new Array<number>(32).fill(0)],
];
/** Schema format and text encoding: 4 and UTF-8, or both 0 while the first table is in the write-ahead log only. */
const FORMATS = ["4 1", "0 0"];

const isHeader = (header: Buffer, fileBytes: number, sizeIsFinal: boolean): boolean => {
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  return (
    header.toString("latin1", 0, MAGIC.length) === MAGIC &&
    CONSTANTS.every(([at, bytes]) => bytes.every((byte, index) => header[at + index] === byte)) &&
    FORMATS.includes(`${header.readUInt32BE(44)} ${header.readUInt32BE(56)}`) &&
    header.readUInt32BE(24) === header.readUInt32BE(92) &&
    fileBytes % pageBytes === 0 &&
    (!sizeIsFinal || header.readUInt32BE(28) * pageBytes === fileBytes)
  );
};

/** @returns the first 100 bytes and the file's size; opening for writing finds a file that is read-only. */
const readHeader = (file: string): { header: Buffer; fileBytes: number } => {
  const descriptor = openSync(file, "r+");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
    return { header, fileBytes: fstatSync(descriptor).size };
  } finally {
    closeSync(descriptor);
  }
};

/** Reads the content through SQLite. @returns a text that completes "FILE …" */
const findDamage = (file: string, fileBytes: number): string | undefined => {
  // Without a log, SQLite would make an empty one.
  const url = new URL(hasWriteAheadLog(file) ? "" : "?immutable=1", pathToFileURL(file));
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table'").get() === undefined)
      return "has no tables";
    if (fileBytes > MAX_CHECKED_BYTES) return undefined;
    const [result] = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {});
    return result === "ok" ? undefined : `is damaged (${String(result).replaceAll(/\s+/g, " ").slice(0, 100)})`;
  } finally {
    database.close();
  }
};

/**
 * Finds what is wrong with an existing database file: not a file, unreadable, read-only, empty, cut, damaged.
 * @param mayBeEmpty whether its first start may have been killed before anything was written.
 */
export const checkDatabase = (file: string, mayBeEmpty: boolean): Problem | undefined => {
  try {
    for (const one of [file, `${file}-wal`, `${file}-shm`]) {
      if (statSync(one, { throwIfNoEntry: false })?.isFile() === false) return { file: one, problem: "is not a file" };
    }
    const { header, fileBytes } = readHeader(file);
    if (fileBytes === 0) return mayBeEmpty ? undefined : { file, problem: "is empty" };
    const lost = findLostCommits(file);
    if (lost !== undefined) return { file: `${file}-wal`, problem: lost };
    if (!isHeader(header, fileBytes, !hasWriteAheadLog(file)))
      return { file, problem: "is damaged or cut (its header or its size is wrong)" };
    const problem = findDamage(file, fileBytes);
    return problem === undefined || (mayBeEmpty && problem === "has no tables") ? undefined : { file, problem };
  } catch (error) {
    if (codeOf(error) === "ERR_SQLITE_ERROR") {
      const { message } = error as Error;
      return { file, problem: message.includes("locked") ? LOCKED : `is damaged (${message})` };
    }
    return { file, problem: `cannot be read and written (${reasonOf(error)})` };
  }
};

const LOCKED = "is locked by another program, such as a database browser";

/** @returns the problem if another program holds the write lock. Its write-ahead log is merged into the file. */
export const checkLock = (file: string): Problem | undefined => {
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return undefined;
  } catch {
    return { file, problem: LOCKED };
  } finally {
    database.close();
  }
};
