import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writeDataFile } from "../../../../infra/local/core/data-file.ts";
import { openDataDirectory } from "../../../../infra/local/data-directory/open-data-directory.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";

/** What can happen to a file, by name. `flipped` changes bytes of the file's first quarter. */
export const damages: Readonly<Record<string, (file: string) => void>> = {
  removed: (file) => rmSync(file),
  emptied: (file) => truncateSync(file, 0),
  "cut in half": (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  flipped: (file) => {
    const content = readFileSync(file);
    for (const at of [0, 1, 2, 3, 4, 16, 17, 18, 24, 25, 26, 27]) content[at] = ~(content[at] ?? 0);
    writeFileSync(file, content);
  },
  "replaced by a directory": (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  "replaced by noise": (file) => {
    const noise = createHash("shake256", { outputLength: readFileSync(file).length }).update("noise");
    writeFileSync(file, noise.digest());
  },
};

/** A hash of each file with data: not of the lock and the indexes of logs. Of a directory in it, an empty text. */
export const contentsOf = (directory: string): Map<string, string> =>
  new Map(
    readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !/-shm$|^lock\.sqlite$/.test(name))
      .map((entry): [string, string] => [
        entry.name,
        entry.isFile()
          ? createHash("sha1")
              .update(readFileSync(join(directory, entry.name)))
              .digest("hex")
          : "",
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** A copy of a directory, as a kill at this moment leaves it. */
export const copyOf = (directory: string): string => {
  const copy = newDirectory("data-copy-");
  cpSync(directory, copy, { recursive: true });
  return copy;
};

/** Opens a database as the queues do. */
export const openDatabase = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  return database;
};

const addRows = (database: DatabaseSync, count: number): void => {
  database.exec("CREATE TABLE IF NOT EXISTS rows (content TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO rows VALUES (?)");
  for (let row = 0; row < count; row++) insert.run(`${row} `.repeat(200));
};

const smallFiles = {
  "clock.json": { offsetMs: 3_600_000 },
  "issuer-keys.json": { keys: [{ kty: "RSA", kid: "one", n: "n", e: "AQAB" }] },
  "issuer-sessions.json": { port: 4711, sessions: [], grants: [] },
  "kms-keys.json": { key: { material: "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", createdAt: 1 } },
  "schedules.json": { hourly: 1_700_000_000_000 },
  "secrets.json": { Secret: "aB3aB3aB3" },
};
const databases = ["dynamodb.sqlite", "objects.sqlite", "queues.sqlite", "provider.sqlite"];

/**
 * A directory that a local cloud has used and left in order.
 * @param onStep called after each step of the first start, with the directory
 */
export const makeUsedDirectory = async (onStep: (directory: string) => void = () => {}): Promise<string> => {
  const directory = newDirectory("data-directory-");
  onStep(directory);
  const data = await openDataDirectory(directory);
  onStep(directory);
  for (const [name, content] of Object.entries(smallFiles)) {
    // The moment before the rename.
    writeFileSync(join(directory, `${name}.1.tmp`), JSON.stringify(content));
    onStep(directory);
    rmSync(join(directory, `${name}.1.tmp`));
    writeDataFile(join(directory, name), content);
    onStep(directory);
  }
  for (const name of databases) {
    const file = join(directory, name);
    const database = new DatabaseSync(file);
    onStep(directory);
    database.exec("PRAGMA journal_mode = WAL");
    onStep(directory);
    addRows(database, 3);
    onStep(directory);
    addRows(database, 60);
    onStep(directory);
    database.close();
    onStep(directory);
  }
  data.complete();
  onStep(directory);
  data.release();
  onStep(directory);
  return directory;
};

/** A directory in which every database of a killed process has commits in its write-ahead log only. */
export const makeKilledDirectory = async (): Promise<string> => {
  const used = await makeUsedDirectory();
  const open = databases.map((name) => openDatabase(join(used, name)));
  for (const database of open) addRows(database, 40);
  const copy = newDirectory("data-killed-");
  for (const name of readdirSync(used)) copyFileSync(join(used, name), join(copy, name));
  for (const database of open) database.close();
  return copy;
};
