/**
 * Writes a file of an export in steps. A step ends with a checkpoint, so another worker can go on after it. Two workers at
 * the same time cannot harm a file:
 *
 * - The key of a file and the numbers of its parts contain how often the export was taken, so a worker that has lost its
 *   lease writes objects and parts that no other worker uses.
 * - Only parts of a checkpoint become part of the file, and only the worker with the lease stores checkpoints.
 */
import { createHash } from "node:crypto";
import type { ObjectStore } from "../runtime/object-store.ts";
import type { FileWork, StoredFile } from "./export-item.ts";
import type { FileSource } from "./file-source.ts";

/**
 * A part that is not the last must have 5 MiB, and an upload at most 10,000 parts.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
 */
export const PART_BYTES = 8 * 1_024 * 1_024;

/** What a file may have, so that it can be read back within one invocation, and its parts fit into the export's item. */
export const MAX_FILE_BYTES = 16_000_000_000;

/** A slow read of the file. Reading it back is not interrupted, so it must fit into the rest of the invocation. */
const READ_BACK_BYTES_PER_MS = 20_000;

/** The time to read a file back. */
export const readBackMs = ({ bytes }: Pick<FileWork, "bytes">): number => bytes / READ_BACK_BYTES_PER_MS;

export type Objects = Pick<
  ObjectStore,
  "put" | "beginUpload" | "uploadPart" | "completeUpload" | "abortUpload" | "read" | "delete" | "list"
>;

/** `keep` renews the lease if that is due. */
type Dependencies = { objects: Objects; keep: () => Promise<void>; partBytes: number };

/** All objects of an export begin with it. The organization's id is in base64url: it may have any characters. */
export const prefixOfExport = (organizationId: string, exportId: string): string =>
  `${prefixOfOrganization(organizationId)}${exportId}/`;

/** All objects of an organization begin with it. */
export const prefixOfOrganization = (organizationId: string): string =>
  `${Buffer.from(organizationId).toString("base64url")}/`;

/** Deletes all objects whose keys begin with a prefix. */
export const deleteObjects = async (objects: Pick<Objects, "list" | "delete">, prefix: string): Promise<void> => {
  for (;;) {
    const { objects: found, isLast } = await objects.list(prefix);
    await objects.delete(found.map(({ key }) => key));
    if (isLast) return;
  }
};

type Read = { body: Buffer; count: number; after: string | undefined; isRead: boolean };

/** Reads pages until they fill a part, or to the end of the source. */
const readPart = async (
  { keep, partBytes }: Dependencies,
  source: FileSource,
  from: Pick<FileWork, "after" | "parts"> | undefined,
): Promise<Read> => {
  const isFirst = from === undefined || from.parts.length === 0;
  const chunks = [Buffer.from(isFirst ? (source.head ?? "") : "")];
  let bytes = chunks[0]?.length ?? 0;
  let count = 0;
  let after = from?.after;
  do {
    await keep();
    const page = await source.read(after);
    const chunk = Buffer.from(page.text);
    chunks.push(chunk);
    bytes += chunk.length;
    count += page.count;
    after = page.next;
  } while (after !== undefined && bytes < partBytes);
  // An erasure that has ended the export waits for a write that has begun, not for one that a slow page delays.
  await keep();
  return { body: Buffer.concat(chunks), count, after, isRead: after === undefined };
};

const sha256Of = (body: Uint8Array): string => createHash("sha256").update(body).digest("hex");

/** Reads a complete file. @throws Error if it is missing or has another size. */
const readBack = async ({ objects, keep }: Dependencies, { key, bytes }: FileWork): Promise<string> => {
  const stream = await objects.read(key);
  if (stream === undefined) throw new Error("A file of an export is missing.");
  const hash = createHash("sha256");
  let read = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    read += chunk.length;
    await keep();
  }
  if (read !== bytes) throw new Error(`A file of an export has ${read} bytes instead of ${bytes}.`);
  return hash.digest("hex");
};

/** What a step leads to: the file under way with its next checkpoint, or the complete file. */
export type FileStep = { file: FileWork } | { complete: StoredFile };

/** @param keyPrefix of the objects of this export, with the number of the take. */
export const stepOfFile = async (
  dependencies: Dependencies,
  source: FileSource,
  file: FileWork | undefined,
  { keyPrefix, takes }: { keyPrefix: string; takes: number },
  checkpoint: (file: FileWork) => Promise<void>,
): Promise<FileStep> => {
  const { objects } = dependencies;
  const { name, contentType } = source;
  if (file?.isRead) {
    const { key, uploadId, parts, count, bytes } = file;
    await dependencies.keep();
    // False if an earlier attempt completed it and died before its checkpoint.
    await objects.completeUpload(key, uploadId, parts);
    return { complete: { name, key, bytes, count, sha256: await readBack(dependencies, file) } };
  }
  const { body, count, after, isRead } = await readPart(dependencies, source, file);
  if (file === undefined && isRead) {
    const key = `${keyPrefix}${takes}/${name}`;
    await objects.put(key, body, { contentType });
    return { complete: { name, key, bytes: body.length, count, sha256: sha256Of(body) } };
  }
  const begun = file ?? (await beginFile(objects, `${keyPrefix}${takes}/${name}`, contentType));
  if (file === undefined) await checkpoint(begun);
  const parts = [...begun.parts];
  // Numbers need not be consecutive: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
  const number = parts.length + takes;
  if (body.length > 0) parts.push({ number, etag: await objects.uploadPart(begun.key, begun.uploadId, number, body) });
  const { after: _, ...rest } = begun;
  return {
    file: {
      ...rest,
      parts,
      isRead,
      count: begun.count + count,
      bytes: begun.bytes + body.length,
      ...(after !== undefined && { after }),
    },
  };
};

const beginFile = async (objects: Objects, key: string, contentType: string): Promise<FileWork> => {
  const uploadId = await objects.beginUpload(key, { contentType });
  return { key, uploadId, parts: [], isRead: false, count: 0, bytes: 0 };
};
