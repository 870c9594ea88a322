/**
 * `contents.json`, the list of the files that belong to a used data directory. It is written before anything else in the
 * directory. A file is added when a start has completed it, before the first request. So a missing or empty file is a
 * damage if it is listed, and else the remainder of a killed first start.
 */
import { join } from "node:path";
import * as z from "zod";
import { type DataFile, openDataFile, writeDataFile } from "../core/data-file.ts";

export const CONTENTS = "contents.json";

/** The databases. Each may have a write-ahead log and its index beside it. */
export const DATABASES = ["dynamodb.sqlite", "objects.sqlite", "queues.sqlite", "provider.sqlite"] as const;
/** The small JSON files, all with a checksum since `contents.json` exists. */
export const DATA_FILES = [
  "clock.json",
  "issuer-keys.json",
  "issuer-sessions.json",
  "kms-keys.json",
  "schedules.json",
  "secrets.json",
] as const;

/** Raised when a version writes files that earlier versions cannot read. */
export const FORMAT = 1;

const Contents = z.object({
  /** The format of the directory; the first versions wrote none. */
  format: z.int().default(1),
  /** Names of completed files. */
  files: z.array(z.string()),
  /** Those of the small files that an earlier version wrote without a checksum. */
  unsealed: z.array(z.string()),
});
export type Contents = z.infer<typeof Contents>;

/** @returns undefined if the directory has no list, a text that completes "FILE …" if the list is damaged. */
export const readContents = (directory: string): Contents | string | undefined => {
  const found = openDataFile(join(directory, CONTENTS));
  if (found === undefined || typeof found === "string") return found;
  const contents = Contents.safeParse(found.content);
  return found.sealed && contents.success ? contents.data : "is damaged (it has unexpected fields)";
};

export const writeContents = (directory: string, contents: Omit<Contents, "format">): void =>
  writeDataFile(join(directory, CONTENTS), { format: FORMAT, ...contents });

const isWhole = (found: DataFile | string | undefined): found is DataFile => typeof found === "object";

/** The small files of a directory that are whole. */
export const wholeDataFiles = (directory: string): { name: string; sealed: boolean }[] =>
  DATA_FILES.flatMap((name) => {
    const found = openDataFile(join(directory, name));
    return isWhole(found) ? [{ name, sealed: found.sealed }] : [];
  });
