import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { writeDataFile } from "../../../../infra/local/core/data-file.ts";
import { isFull, openDataDirectory } from "../../../../infra/local/data-directory/open-data-directory.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { contentsOf, copyOf, damages, makeKilledDirectory, makeUsedDirectory, openDatabase } from "./used-directory.ts";

let used: string;
let killed: string;
beforeAll(async () => {
  used = await makeUsedDirectory();
  killed = await makeKilledDirectory();
});

/** The message of a refusal; undefined if the directory opens. */
const refusal = async (directory: string): Promise<string | undefined> => {
  try {
    (await openDataDirectory(directory)).release();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const rowsIn = (file: string): unknown => {
  const database = new DatabaseSync(file);
  const row = database.prepare("SELECT count(*) AS count FROM rows").get();
  database.close();
  return row?.count;
};

const expectRefused = async (directory: string, name: string) => {
  const before = contentsOf(directory);
  const message = await refusal(directory);
  expect(message).toContain(`${join(directory, name)} `);
  expect(message).toMatch(/: restore the file from a backup, or delete the whole directory .* to start over$/);
  expect(contentsOf(directory)).toEqual(before);
};

describe("a used data directory", () => {
  it("is refused if a newer version wrote it", async () => {
    const copy = copyOf(used);
    writeDataFile(join(copy, "contents.json"), { format: 2, files: [], unsealed: [], added: true });
    const before = contentsOf(copy);
    expect(await refusal(copy)).toBe(
      `the data directory ${copy} was written by a newer version (format 2, this version reads up to 1): ` +
        "start the newer version, or set LOCAL_DATA_DIR to another directory",
    );
    expect(contentsOf(copy)).toEqual(before);
  });

  it("opens again and again", async () => {
    const copy = copyOf(used);
    expect([await refusal(copy), await refusal(copy)]).toEqual([undefined, undefined]);
    expect(rowsIn(join(copy, "queues.sqlite"))).toBe(63);
  });

  const names = ["contents", "clock", "issuer-keys", "issuer-sessions", "kms-keys", "schedules", "secrets"].map(
    (name) => `${name}.json`,
  );
  const files = [...names, "dynamodb.sqlite", "queues.sqlite", "provider.sqlite"];
  const cases = files.flatMap((name) => Object.keys(damages).map((damage): [string, string] => [name, damage]));
  it.each(cases)("is refused by name and stays as it is if %s is %s", async (name, damage) => {
    const copy = copyOf(used);
    damages[damage]?.(join(copy, name));
    await expectRefused(copy, name);
  });

  it.each(["dynamodb.sqlite", "queues.sqlite", "provider.sqlite"])(
    "is refused if %s is a new database",
    async (name) => {
      const copy = copyOf(used);
      rmSync(join(copy, name));
      const database = openDatabase(join(copy, name));
      database.exec("PRAGMA user_version = 0; CREATE TABLE gone (id INTEGER); DROP TABLE gone");
      database.close();
      await expectRefused(copy, name);
    },
  );

  it("is refused if a byte in the middle of a database or of a small file has changed", async () => {
    for (const [name, at] of [
      ["queues.sqlite", 4096 * 3],
      ["secrets.json", 20],
    ] as const) {
      const copy = copyOf(used);
      const content = readFileSync(join(copy, name));
      content[at] = 0x37;
      writeFileSync(join(copy, name), content);
      await expectRefused(copy, name);
    }
  });

  it("is refused while another program holds the lock of a database", async () => {
    const copy = copyOf(used);
    const browser = new DatabaseSync(join(copy, "provider.sqlite"));
    browser.exec("BEGIN IMMEDIATE");
    expect(await refusal(copy)).toContain(`${join(copy, "provider.sqlite")} is locked by another program`);
    browser.close();
    expect(await refusal(copy)).toBeUndefined();
  });
});

describe("a data directory after a killed local cloud", () => {
  it("opens with the commits that are in the write-ahead logs only", async () => {
    const copy = copyOf(killed);
    expect(await refusal(copy)).toBeUndefined();
    expect(rowsIn(join(copy, "provider.sqlite"))).toBe(103);
  });

  const logs = ["dynamodb", "queues", "provider"].map((name) => `${name}.sqlite-wal`);
  const cases = logs.flatMap((name) => Object.keys(damages).map((damage): [string, string] => [name, damage]));
  it.each(cases)("is refused by name and stays as it is if %s is %s", async (name, damage) => {
    const copy = copyOf(killed);
    damages[damage]?.(join(copy, name));
    await expectRefused(copy, name);
    // A refused start does not make the next one accept the loss.
    await expectRefused(copy, name);
  });

  it("is refused if a page in the middle of a write-ahead log has changed", async () => {
    const copy = copyOf(killed);
    const log = join(copy, "queues.sqlite-wal");
    const content = readFileSync(log);
    content.writeUInt8(content.readUInt8(content.length >> 1) ^ 1, content.length >> 1);
    writeFileSync(log, content);
    await expectRefused(copy, "queues.sqlite-wal");
  });

  it("opens without the index of a write-ahead log, which SQLite makes again", async () => {
    const copy = copyOf(killed);
    rmSync(join(copy, "queues.sqlite-shm"));
    expect(await refusal(copy)).toBeUndefined();
    expect(rowsIn(join(copy, "queues.sqlite"))).toBe(103);
  });
});

describe("a data directory that was never used", () => {
  it("opens after a kill at any moment of the first start, twice", async () => {
    const moments: string[] = [];
    await makeUsedDirectory((directory) => moments.push(copyOf(directory)));
    expect(moments.length).toBeGreaterThan(25);
    for (const moment of moments)
      expect([moment, await refusal(moment), await refusal(moment)]).toEqual([moment, undefined, undefined]);
  });

  it("is created, with its parents", async () => {
    const directory = join(newDirectory("parent-"), "one", "two");
    expect(await refusal(directory)).toBeUndefined();
    expect(readdirSync(directory)).toEqual(["contents.json", "lock.sqlite"]);
  });

  it("is refused if a file is in its place or above it", async () => {
    const file = join(newDirectory("file-"), "data");
    writeFileSync(file, "");
    expect(await refusal(file)).toBe(
      `the data directory ${file} cannot be created (a file has its name): set LOCAL_DATA_DIR to another directory`,
    );
    expect(await refusal(join(file, "data"))).toContain("cannot be created (a part of its path is not a directory)");
    // Node's recursive mkdir never ends there.
    expect(await refusal("/proc/none/data")).toContain("the data directory /proc/none/data cannot be created");
  });
});

describe("a data directory of an earlier version", () => {
  /** Without the list, and without checksums. */
  const makeEarlier = () => {
    const copy = copyOf(used);
    rmSync(join(copy, "contents.json"));
    for (const name of ["clock", "issuer-keys", "issuer-sessions", "kms-keys", "schedules", "secrets"]) {
      const file = join(copy, `${name}.json`);
      const { $sha256: _, ...content } = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify(content));
    }
    return copy;
  };

  it("opens, and its files are required from then on", async () => {
    const earlier = makeEarlier();
    expect([await refusal(earlier), await refusal(earlier)]).toEqual([undefined, undefined]);
    for (const name of ["queues.sqlite", "secrets.json"]) {
      const copy = copyOf(earlier);
      rmSync(join(copy, name));
      await expectRefused(copy, name);
    }
  });

  it.each(["dynamodb.sqlite", "issuer-keys.json"])("is refused if %s is empty", async (name) => {
    const earlier = makeEarlier();
    truncateSync(join(earlier, name));
    await expectRefused(earlier, name);
  });

  it("opens after a kill in its first start", async () => {
    const earlier = makeEarlier();
    rmSync(join(earlier, "schedules.json"));
    truncateSync(join(earlier, "queues.sqlite"));
    expect(await refusal(earlier)).toBeUndefined();
  });
});

describe("a data directory in use", () => {
  it("is refused with the process that uses it, also to this process", async () => {
    const copy = copyOf(used);
    const data = await openDataDirectory(copy);
    expect(await refusal(copy)).toBe(
      `the data directory ${copy} is in use by another local cloud (process ${process.pid}): ` +
        "stop it, or choose another one with LOCAL_DATA_DIR",
    );
    data.release();
    const next = await openDataDirectory(copy);
    // The first holder's second release leaves the lock of the next one.
    data.release();
    expect(await refusal(copy)).toContain("is in use");
    next.release();
  });

  it("is taken over if the process in the lock has ended or is another one, or the lock is empty", async () => {
    const setHolder = (file: string) => {
      const database = new DatabaseSync(file);
      database.exec(`PRAGMA user_version = ${process.ppid}`);
      database.close();
    };
    for (const change of [setHolder, damages.emptied]) {
      const copy = copyOf(used);
      change?.(join(copy, "lock.sqlite"));
      const data = await openDataDirectory(copy);
      expect(await refusal(copy)).toContain(`(process ${process.pid})`);
      data.release();
    }
  });

  it("is refused with what to do if the list of its files or the lock cannot be read", async () => {
    const copy = copyOf(used);
    damages["replaced by a directory"]?.(join(copy, "contents.json"));
    await expectRefused(copy, "contents.json");
    const other = copyOf(used);
    damages["replaced by noise"]?.(join(other, "lock.sqlite"));
    expect(await refusal(other)).toMatch(/ cannot be locked \(.*\): delete .*lock.sqlite$/);
  });
});

describe("isFull", () => {
  it("counts the space that is free to this user, and ignores file systems that have no size", () => {
    expect(isFull({ bavail: 0, bsize: 4096, blocks: 1000 })).toBe(true);
    expect(isFull({ bavail: 1000, bsize: 4096, blocks: 10_000 })).toBe(false);
    expect(isFull({ bavail: 0, bsize: 4096, blocks: 0 })).toBe(false);
  });
});
