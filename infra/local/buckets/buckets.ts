import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { BucketModel } from "../core/model.ts";
import { type ObjectHeaders, openObjectTable, type StoredObject } from "./object-table.ts";

const DAY_MS = 86_400_000;

/** Of every part but the last. https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const MIN_PART_BYTES = 5 * 1_048_576;

/** Why an upload cannot be completed, as S3 names it. */
export type UploadProblem = "NoSuchUpload" | "InvalidPart" | "InvalidPartOrder" | "EntityTooSmall" | "MalformedXML";

export type ObjectBucket = {
  model: BucketModel;
  find(key: string): StoredObject | undefined;
  list(options: { prefix: string; after: string; limit: number }): StoredObject[];
  /** @returns the ETag. */
  put(key: string, body: Buffer, headers: ObjectHeaders): string;
  remove(keys: readonly string[]): void;
  /** The bytes from `start` to `end`, both included, part by part. */
  read(object: StoredObject, start: number, end: number): Generator<Uint8Array>;
  /** @returns the upload's id. */
  beginUpload(key: string, headers: ObjectHeaders): string;
  /** @returns the part's ETag; undefined if there is no such upload. */
  uploadPart(key: string, uploadId: string, number: number, body: Buffer): string | undefined;
  completeUpload(
    key: string,
    uploadId: string,
    parts: readonly { number: number; etag: string }[],
  ): { etag: string } | { problem: UploadProblem };
  /** @returns false if there is no such upload. */
  abortUpload(key: string, uploadId: string): boolean;
};

export type ObjectBuckets = { list(): ObjectBucket[]; find(name: string): ObjectBucket | undefined; close(): void };

const md5 = (...chunks: readonly Uint8Array[]): string => {
  const hash = createHash("md5");
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
};

/**
 * The objects that are older than this have expired: S3 adds the days, and rounds up to the next midnight UTC.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
 */
const expiredBefore = (days: number, nowMs: number): number => Math.floor(nowMs / DAY_MS) * DAY_MS - days * DAY_MS;

/** The buckets of the stack. Their lifecycle follows the local cloud's clock: each use removes first what has expired. */
export const openObjectBuckets = (options: {
  buckets: readonly BucketModel[];
  dataDirectory: string;
  clock: Pick<Clock, "now">;
}): ObjectBuckets => {
  const { clock } = options;
  const table = openObjectTable(options.dataDirectory);

  const open = (model: BucketModel): ObjectBucket => {
    const { name, expirationDays = Number.POSITIVE_INFINITY, abortUploadsAfterDays = Number.POSITIVE_INFINITY } = model;

    /** Runs one use of the bucket in a transaction. */
    const use = <T>(work: () => T): T =>
      table.transaction(() => {
        const now = clock.now();
        for (const { key } of table.modifiedBefore(name, expiredBefore(expirationDays, now))) table.remove(name, key);
        for (const id of table.uploadsBefore(name, expiredBefore(abortUploadsAfterDays, now)))
          table.removeUpload(id, { keepParts: false });
        return work();
      });
    const hasUpload = (key: string, id: string) => table.uploadHeaders(name, key, id) !== undefined;

    return {
      model,
      find: (key) => use(() => table.find(name, key)),
      list: ({ prefix, after, limit }) => use(() => table.list(name, prefix, after, limit)),
      put: (key, body, headers) =>
        use(() => {
          const [content, etag] = [randomUUID(), `"${md5(body)}"`];
          table.put(name, { key, content, bytes: body.length, etag, headers, modified_at: clock.now() });
          table.putPart(content, 1, etag, body);
          return etag;
        }),
      remove: (keys) =>
        use(() => {
          for (const key of keys) table.remove(name, key);
        }),
      *read({ content }, start, end) {
        let offset = 0;
        for (const { number, bytes } of table.parts(content)) {
          if (offset + bytes > start && offset <= end)
            yield table.body(content, number).subarray(Math.max(start - offset, 0), end + 1 - offset);
          offset += bytes;
        }
      },
      beginUpload: (key, headers) =>
        use(() => {
          const id = randomUUID();
          table.beginUpload(id, name, key, headers, clock.now());
          return id;
        }),
      uploadPart: (key, uploadId, number, body) =>
        use(() => {
          if (!hasUpload(key, uploadId)) return undefined;
          const etag = `"${md5(body)}"`;
          table.putPart(uploadId, number, etag, body);
          return etag;
        }),
      completeUpload: (key, uploadId, wanted) =>
        use(() => {
          const headers = table.uploadHeaders(name, key, uploadId);
          if (headers === undefined) return { problem: "NoSuchUpload" };
          if (wanted.length === 0) return { problem: "MalformedXML" };
          const stored = table.parts(uploadId);
          const parts = wanted.map(({ number }) => stored.find((one) => one.number === number));
          const found = parts.filter((part) => part !== undefined);
          if (found.length < wanted.length || found.some(({ etag }, i) => etag !== wanted[i]?.etag))
            return { problem: "InvalidPart" };
          if (found.some(({ number }, i) => number <= (found[i - 1]?.number ?? 0)))
            return { problem: "InvalidPartOrder" };
          if (found.slice(0, -1).some(({ bytes }) => bytes < MIN_PART_BYTES)) return { problem: "EntityTooSmall" };
          for (const { number } of stored)
            if (!found.some((part) => part.number === number)) table.removePart(uploadId, number);
          // The ETag of an object of parts: the hash of the parts' hashes, and their count.
          const hashes = found.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex"));
          const etag = `"${md5(...hashes)}-${found.length}"`;
          const bytes = found.reduce((sum, part) => sum + part.bytes, 0);
          table.put(name, { key, content: uploadId, bytes, etag, headers, modified_at: clock.now() });
          table.removeUpload(uploadId, { keepParts: true });
          return { etag };
        }),
      abortUpload: (key, uploadId) =>
        use(() => {
          const isThere = hasUpload(key, uploadId);
          if (isThere) table.removeUpload(uploadId, { keepParts: false });
          return isThere;
        }),
    };
  };

  const opened = new Map(options.buckets.map((model) => [model.name, open(model)]));
  return { list: () => [...opened.values()], find: (name) => opened.get(name), close: table.close };
};
