import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { inTransaction } from "../core/in-transaction.ts";

/** What GET answers in addition to the bytes: Content-Type, Content-Disposition … by lower-case name. */
export type ObjectHeaders = Readonly<Record<string, string>>;

const Headers = z.string().transform((text) => z.record(z.string(), z.string()).parse(JSON.parse(text)));

const ObjectRow = z.object({
  key: z.string(),
  /** Names the parts that hold the bytes. */
  content: z.string(),
  bytes: z.number(),
  etag: z.string(),
  headers: Headers,
  modified_at: z.number(),
});
/** Times in epoch milliseconds; `etag` with its quotes. */
export type StoredObject = z.infer<typeof ObjectRow>;

const UploadRow = z.object({ id: z.string(), headers: Headers });
const PartRow = z.object({ number: z.number(), bytes: z.number(), etag: z.string() });
export type StoredPart = z.infer<typeof PartRow>;
const BodyRow = z.object({ body: z.instanceof(Uint8Array) });

/** SQLite compares texts by their UTF-8 bytes, which is the order of S3's lists. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (
    bucket TEXT NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, bytes INTEGER NOT NULL, etag TEXT NOT NULL,
    headers TEXT NOT NULL, modified_at INTEGER NOT NULL, PRIMARY KEY (bucket, key)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS uploads (
    id TEXT PRIMARY KEY, bucket TEXT NOT NULL, key TEXT NOT NULL, headers TEXT NOT NULL, begun_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS parts (
    content TEXT NOT NULL, number INTEGER NOT NULL, bytes INTEGER NOT NULL, etag TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (content, number)
  ) STRICT;
`;

/**
 * The objects of all buckets in `objects.sqlite` of the data directory. A write survives a killed process, as a whole or
 * not at all. This file has the statements; buckets.ts has their meaning.
 */
export const openObjectTable = (dataDirectory: string) => {
  const database = new DatabaseSync(join(dataDirectory, "objects.sqlite"));
  // NORMAL survives the end of the process but not of the machine, as in the queues.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  database.exec(SCHEMA);
  const get = database.prepare("SELECT * FROM objects WHERE bucket = ? AND key = ?");
  const list = database.prepare(
    "SELECT * FROM objects WHERE bucket = ? AND key > ? AND substr(key, 1, length(?)) = ? ORDER BY key LIMIT ?",
  );
  const put = database.prepare("INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)");
  const remove = database.prepare("DELETE FROM objects WHERE bucket = ? AND key = ?");
  const modifiedUntil = database.prepare("SELECT * FROM objects WHERE bucket = ? AND modified_at < ?");
  const putPart = database.prepare("INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?)");
  const parts = database.prepare("SELECT number, bytes, etag FROM parts WHERE content = ? ORDER BY number");
  const body = database.prepare("SELECT body FROM parts WHERE content = ? AND number = ?");
  const removePart = database.prepare("DELETE FROM parts WHERE content = ? AND number = ?");
  const removeParts = database.prepare("DELETE FROM parts WHERE content = ?");
  const beginUpload = database.prepare("INSERT INTO uploads VALUES (?, ?, ?, ?, ?)");
  const upload = database.prepare("SELECT id, headers FROM uploads WHERE bucket = ? AND key = ? AND id = ?");
  const uploadsUntil = database.prepare("SELECT id, headers FROM uploads WHERE bucket = ? AND begun_at < ?");
  const removeUpload = database.prepare("DELETE FROM uploads WHERE id = ?");

  const find = (bucket: string, key: string): StoredObject | undefined => {
    const row = get.get(bucket, key);
    return row === undefined ? undefined : ObjectRow.parse(row);
  };
  const removeObject = (bucket: string, key: string): void => {
    const found = find(bucket, key);
    if (found === undefined) return;
    removeParts.run(found.content);
    remove.run(bucket, key);
  };

  return {
    find,
    /** The objects after a key in order of keys. */
    list: (bucket: string, prefix: string, after: string, limit: number): StoredObject[] =>
      list.all(bucket, after, prefix, prefix, limit).map((row) => ObjectRow.parse(row)),
    /** Replaces an object, and removes the bytes of the former one. */
    put(bucket: string, object: StoredObject): void {
      removeObject(bucket, object.key);
      const { key, content, bytes, etag, headers, modified_at } = object;
      put.run(bucket, key, content, bytes, etag, JSON.stringify(headers), modified_at);
    },
    remove: removeObject,
    modifiedBefore: (bucket: string, epochMs: number): StoredObject[] =>
      modifiedUntil.all(bucket, epochMs).map((row) => ObjectRow.parse(row)),
    putPart: (content: string, number: number, etag: string, bytes: Buffer) =>
      void putPart.run(content, number, bytes.length, etag, bytes),
    parts: (content: string): StoredPart[] => parts.all(content).map((row) => PartRow.parse(row)),
    body: (content: string, number: number): Uint8Array => BodyRow.parse(body.get(content, number)).body,
    removePart: (content: string, number: number) => void removePart.run(content, number),
    beginUpload: (id: string, bucket: string, key: string, headers: ObjectHeaders, nowMs: number) =>
      void beginUpload.run(id, bucket, key, JSON.stringify(headers), nowMs),
    /** The headers of an upload; undefined if there is none of this key. */
    uploadHeaders(bucket: string, key: string, id: string): ObjectHeaders | undefined {
      const row = upload.get(bucket, key, id);
      return row === undefined ? undefined : UploadRow.parse(row).headers;
    },
    uploadsBefore: (bucket: string, epochMs: number): string[] =>
      uploadsUntil.all(bucket, epochMs).map((row) => UploadRow.parse(row).id),
    /** The parts become an object's, or are removed too. */
    removeUpload(id: string, { keepParts }: { keepParts: boolean }): void {
      removeUpload.run(id);
      if (!keepParts) removeParts.run(id);
    },
    transaction: <T>(work: () => T): T => inTransaction(database, work),
    close: () => database.close(),
  };
};
