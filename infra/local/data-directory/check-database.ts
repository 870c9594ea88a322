/** Checks an SQLite file without changing it: by SQLite's own check, and that no written page of a killed process is lost. */
import { closeSync, openSync, readFileSync, readSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf, reasonOf } from "../core/data-file.ts";

const MAGIC = "SQLite format 3\0";
/** Of a larger database only the tables are read, because `quick_check` reads every page. */
const MAX_CHECKED_BYTES = 512 * 1024 * 1024;

/** The problem of a file: `file` is the database or its write-ahead log, `problem` completes "FILE …". */
export type Problem = { file: string; problem: string };

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Whether the file begins as a database and has whole pages. Opening for writing finds a file that is read-only. */
const isDatabase = (file: string): boolean => {
  const descriptor = openSync(file, "r+");
  const header = Buffer.alloc(MAGIC.length + 2);
  readSync(descriptor, header);
  closeSync(descriptor);
  // The header has 1 for pages of 65,536 bytes.
  const pageBytes = header.readUInt16BE(MAGIC.length);
  return header.toString("latin1").startsWith(MAGIC) && sizeOf(file) % (pageBytes === 1 ? 65_536 : pageBytes) === 0;
};

/**
 * The number of pages that the index of a write-ahead log counts. The index (`FILE-shm`) has its header of 48 bytes twice: a
 * kill between the two writes leaves them unequal. https://sqlite.org/walformat.html
 */
const pagesIn = (index: Buffer): number =>
  index.length >= 96 && index.subarray(0, 48).equals(index.subarray(48, 96)) ? index.readUInt32LE(16) : 0;

/** SQLite makes the index again when it opens the log, and ignores what follows the log's first damaged page. */
const findDamage = (file: string): Problem | undefined => {
  const [log, index] = [`${file}-wal`, `${file}-shm`];
  const hasLog = sizeOf(log) > 0;
  const before = sizeOf(index) > 0 ? readFileSync(index) : Buffer.alloc(0);
  const lost = (found: number) => ({
    file: log,
    problem: `is damaged or missing (${found} of ${pagesIn(before)} written pages are whole)`,
  });
  if (!hasLog && pagesIn(before) > 0) return lost(0);
  // Without a log, SQLite would make an empty one.
  const database = new DatabaseSync(new URL(hasLog ? "" : "?immutable=1", pathToFileURL(file)), { readOnly: true });
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table'").get();
    const found = hasLog ? pagesIn(readFileSync(index)) : 0;
    if (found < pagesIn(before)) {
      // The next start must not take the new index for the right one.
      writeFileSync(index, before);
      return lost(found);
    }
    if (table === undefined) return { file, problem: "has no tables" };
    const result =
      sizeOf(file) > MAX_CHECKED_BYTES ? "ok" : database.prepare("PRAGMA quick_check(1)").get()?.quick_check;
    return result === "ok" ? undefined : { file, problem: `is damaged (${String(result).split("\n")[0]})` };
  } finally {
    database.close();
  }
};

const problemOf = (error: unknown): string => {
  if (codeOf(error) !== "ERR_SQLITE_ERROR") return `cannot be read and written (${reasonOf(error)})`;
  const { message } = error as Error;
  return message.includes("locked")
    ? "is locked by another program, such as a database browser"
    : `is damaged (${message})`;
};

/**
 * Finds what is wrong with an existing database file: not a file, unreadable, read-only, empty, cut, damaged.
 * @param mayBeEmpty whether its first start may have been killed before anything was written.
 */
export const checkDatabase = (file: string, mayBeEmpty: boolean): Problem | undefined => {
  for (const one of [file, `${file}-wal`, `${file}-shm`]) {
    if (statSync(one, { throwIfNoEntry: false })?.isFile() === false) return { file: one, problem: "is not a file" };
  }
  try {
    const isWhole = isDatabase(file);
    if (sizeOf(file) === 0) return mayBeEmpty ? undefined : { file, problem: "is empty" };
    if (!isWhole) return { file, problem: "is damaged or cut" };
    const found = findDamage(file);
    return mayBeEmpty && found?.problem === "has no tables" ? undefined : found;
  } catch (error) {
    return { file, problem: problemOf(error) };
  }
};

/** @returns the problem if another program holds the write lock. Its write-ahead log is merged into the file. */
export const checkLock = (file: string): Problem | undefined => {
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return undefined;
  } catch (error) {
    return { file, problem: problemOf(error) };
  } finally {
    database.close();
  }
};
