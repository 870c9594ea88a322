import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";

/** The field with a file's checksum. No name of a resource or a schedule contains `$`. */
const CHECKSUM = "$sha256";
const Fields = z.record(z.string(), z.unknown());

const checksumOf = (content: unknown): string => createHash("sha256").update(JSON.stringify(content)).digest("hex");

/** @returns the error's code, such as `ENOENT`; undefined if it has none. */
export const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of its path is not a directory",
  EEXIST: "a file has its name",
  EISDIR: "it is a directory",
};

/** Why the system refused an operation on a file, in words. */
export const reasonOf = (error: unknown): string => REASONS[codeOf(error) ?? ""] ?? String(error);

/** The content of a small JSON file. `sealed` says whether it has a checksum; files of earlier versions have none. */
export type DataFile = { content: unknown; sealed: boolean };

/**
 * Opens a small JSON file of the data directory.
 * @returns undefined if the file does not exist; a text that completes "FILE …" if it is damaged.
 */
export const openDataFile = (file: string): DataFile | string | undefined => {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    return codeOf(error) === "EISDIR" ? "is not a file" : `cannot be read (${reasonOf(error)})`;
  }
  if (text === "") return "is empty";
  try {
    const { [CHECKSUM]: checksum, ...content } = Fields.parse(JSON.parse(text));
    if (checksum !== undefined && checksum !== checksumOf(content)) return "is damaged (its checksum is wrong)";
    return { content, sealed: checksum !== undefined };
  } catch {
    return "is damaged (it is not a JSON object)";
  }
};

/** The error of a damaged file. @param problem completes "FILE …" */
export const damagedFile = (file: string, problem: string): Error =>
  new Error(
    `${file} ${problem}: restore the file from a backup, or delete the whole directory ${dirname(file)} to start over`,
  );

/**
 * Reads a small JSON file of the data directory; `undefined` if the file does not exist.
 * @throws Error that names the file if the file is damaged or does not match the schema.
 */
export const readDataFile = <T>(file: string, schema: z.ZodType<T>): T | undefined => {
  const found = openDataFile(file);
  if (found === undefined) return undefined;
  if (typeof found === "string") throw damagedFile(file, found);
  const parsed = schema.safeParse(found.content);
  if (!parsed.success) throw damagedFile(file, "is damaged (it has unexpected fields)");
  return parsed.data;
};

/** Writes a JSON file atomically, without a checksum. `mode` is the file's mode. */
export const writeJsonFile = (file: string, content: unknown, mode = 0o644): void => {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode });
  renameSync(temporary, file);
};

/** Writes a small JSON file of the data directory atomically, with its checksum. `mode` is 0600 for secrets. */
export const writeDataFile = (file: string, content: object, mode?: number): void =>
  writeJsonFile(file, { ...content, [CHECKSUM]: checksumOf(content) }, mode);
