/**
 * Objects of a bucket in Amazon S3. The client is created at the first call, but imported statically, for the reasons in
 * event-bridge.ts.
 */
import { Agent } from "node:https";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { type AwsPlace, boundedRequests, fixedSettings, readAwsPlace } from "./aws-client.ts";
import { callStore } from "./call-store.ts";
import { chunksOf } from "./chunks.ts";

/** For one attempt: a part of 8 MB takes less than a second within a region. */
const REQUEST_TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

/** DeleteObjects takes as many. https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html */
const MAX_DELETES = 1_000;

/** A client of one endpoint. The SDK puts the bucket into the host's name, or into the path if the host is an address. */
export const createS3 = (place: AwsPlace): S3Client =>
  new S3Client({
    ...place,
    ...fixedSettings,
    // The signature covers the SHA-256 of each body, which S3 checks; a second checksum would only cost time.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    followRegionRedirects: false,
    maxAttempts: 3,
    requestHandler: boundedRequests(new Agent({ keepAlive: true, maxSockets: 20 }), REQUEST_TIMEOUT_MS),
  });

let made: S3Client | undefined;

/** The client of a deployed function, from its environment. */
export const s3 = (): S3Client => {
  made ??= createS3(readAwsPlace("s3"));
  return made;
};

/** What S3 answers with the object. */
export type ObjectHeaders = { contentType: string; contentEncoding?: string; contentDisposition?: string };

/** A part of an upload, with the ETag that S3 gave it. */
export type UploadedPart = { number: number; etag: string };

export type StoredObject = { key: string; bytes: number };

/** An object as it was read. `tag`: its ETag, which changes with its bytes. */
export type ReadObject = { body: AsyncIterable<Uint8Array>; tag: string };

const headersOf = ({ contentType, contentEncoding, contentDisposition }: ObjectHeaders) => ({
  ContentType: contentType,
  ...(contentEncoding !== undefined && { ContentEncoding: contentEncoding }),
  ...(contentDisposition !== undefined && { ContentDisposition: contentDisposition }),
});

/** @returns undefined instead of an error of these names, which S3 gives for what does not exist or has changed. */
const unlessMissing = <Output>(names: string | readonly string[], call: Promise<Output>): Promise<Output | undefined> =>
  call.catch((error) => {
    if (error instanceof Error && [names].flat().includes(error.name)) return undefined;
    throw error;
  });

/** The object has other bytes, or is gone. https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html */
const CHANGED = ["PreconditionFailed", "ConditionalRequestConflict", "NoSuchKey"];

/** @returns undefined if there is no such object. */
const readObject = async (
  client: S3Client,
  object: { Bucket: string; Key: string },
): Promise<ReadObject | undefined> => {
  const command = new GetObjectCommand(object);
  // The deadline is the answer's: a large object takes longer to read.
  const answer = await callStore(() => unlessMissing("NoSuchKey", client.send(command)));
  if (answer === undefined) return undefined;
  const { Body, ETag: tag } = answer;
  if (Body === undefined || !(Symbol.asyncIterator in Body) || tag === undefined)
    throw new Error("S3: an object without a stream");
  return { body: Body as AsyncIterable<Uint8Array>, tag };
};

export type ObjectStore = ReturnType<typeof createObjectStore>;

/**
 * All calls throw DomainError `store_unavailable` if S3 fails or denies.
 * @param client is called at the first call: `s3` in a deployed function.
 */
export const createObjectStore = (client: () => S3Client, Bucket: string) => ({
  /** Writes a whole object, and replaces one of the same key. An answer without an ETag is not from S3: the call fails. */
  async put(Key: string, Body: Uint8Array | string, headers: ObjectHeaders): Promise<void> {
    const command = new PutObjectCommand({ Bucket, Key, Body, ...headersOf(headers) });
    await callStore(async (options) => {
      const { ETag } = await client().send(command, options);
      if (ETag === undefined) throw new Error("S3: an object without an ETag");
    }, DEADLINE_MS);
  },

  /**
   * Writes a whole object in place of the one that was read. S3 asks for the right to read the object, too.
   * @param IfMatch the tag of the object as it was read.
   * @returns false if the object has changed since, or is gone. After a lost answer, it may be this call that changed it.
   */
  async replace(Key: string, Body: Uint8Array, headers: ObjectHeaders, IfMatch: string): Promise<boolean> {
    const command = new PutObjectCommand({ Bucket, Key, Body, IfMatch, ...headersOf(headers) });
    const answer = await callStore((options) => unlessMissing(CHANGED, client().send(command, options)), DEADLINE_MS);
    if (answer !== undefined && answer.ETag === undefined) throw new Error("S3: an object without an ETag");
    return answer !== undefined;
  },

  /** Begins an upload in parts. @returns its id. The bucket's lifecycle removes an upload that never ends. */
  async beginUpload(Key: string, headers: ObjectHeaders): Promise<string> {
    const command = new CreateMultipartUploadCommand({ Bucket, Key, ...headersOf(headers) });
    return callStore(async (options) => {
      const { UploadId } = await client().send(command, options);
      if (UploadId === undefined) throw new Error("S3: an upload without an id");
      return UploadId;
    });
  },

  /**
   * Uploads a part, and replaces one of the same number. Every part but the last must have 5 MiB or more.
   * @param PartNumber from 1 to 10,000.
   * @returns the part's ETag, for `completeUpload`.
   */
  async uploadPart(Key: string, UploadId: string, PartNumber: number, Body: Uint8Array): Promise<string> {
    const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body });
    return callStore(async (options) => {
      const { ETag } = await client().send(command, options);
      if (ETag === undefined) throw new Error("S3: a part without an ETag");
      return ETag;
    }, DEADLINE_MS);
  },

  /**
   * Joins the parts; the object exists from then on.
   * @param parts in ascending order of their numbers, which need not be consecutive. Other parts are discarded.
   *   https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
   * @returns false if there is no such upload: it was completed or aborted before.
   */
  async completeUpload(Key: string, UploadId: string, parts: readonly UploadedPart[]): Promise<boolean> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const command = new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    const answer = await callStore(
      (options) => unlessMissing("NoSuchUpload", client().send(command, options)),
      DEADLINE_MS,
    );
    return answer !== undefined;
  },

  /** Removes an upload and its parts; does nothing if there is no such upload. */
  async abortUpload(Key: string, UploadId: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    await callStore((options) => unlessMissing("NoSuchUpload", client().send(command, options)));
  },

  /**
   * The object's bytes as a stream; undefined if there is no such object. S3 says so only to a role that may list the
   * bucket (s3:ListBucket), and denies the call to others.
   */
  read: async (Key: string): Promise<AsyncIterable<Uint8Array> | undefined> =>
    (await readObject(client(), { Bucket, Key }))?.body,

  /** Like `read`, with the tag for `replace`. */
  readTagged: (Key: string): Promise<ReadObject | undefined> => readObject(client(), { Bucket, Key }),

  /** Deletes objects; missing ones count as deleted. */
  async delete(keys: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(keys, MAX_DELETES)) {
      const Delete = { Objects: chunk.map((Key) => ({ Key })), Quiet: true };
      await callStore(async (options) => {
        const { Errors = [] } = await client().send(new DeleteObjectsCommand({ Bucket, Delete }), options);
        const [failed] = Errors;
        if (failed !== undefined) throw new Error(`S3: deleting ${Errors.length} objects failed: ${failed.Code}`);
      }, DEADLINE_MS);
    }
  },

  /**
   * The objects whose keys begin with the prefix, in order of their keys, at most 1,000 at once.
   * @param after only the keys after this one. @returns `isLast` false if there are more.
   */
  async list(Prefix: string, after?: string): Promise<{ objects: StoredObject[]; isLast: boolean }> {
    const command = new ListObjectsV2Command({ Bucket, Prefix, ...(after !== undefined && { StartAfter: after }) });
    const { Contents = [], IsTruncated = false } = await callStore((options) => client().send(command, options));
    const objects = Contents.map(({ Key: key = "", Size: bytes = 0 }) => ({ key, bytes }));
    return { objects, isLast: !IsTruncated };
  },

  /**
   * The folders at the top of the bucket, as `name/`, in order, at most 1,000 at once.
   * @param after only the folders after this one. @returns `isLast` false if there are more.
   */
  async listFolders(after?: string): Promise<{ folders: string[]; isLast: boolean }> {
    // "0" follows "/": all keys of the folder come before it.
    const start = after !== undefined && { StartAfter: `${after.slice(0, -1)}0` };
    const command = new ListObjectsV2Command({ Bucket, Delimiter: "/", ...start });
    const answer = await callStore((options) => client().send(command, options));
    const folders = (answer.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []);
    return { folders, isLast: !(answer.IsTruncated ?? false) };
  },

  /**
   * A link by which anybody can download the object, under the rights of this function's role. It ends earlier if the
   * function's temporary credentials do. https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html
   * @param options.fileName the name of the downloaded file: letters, digits, `.`, `_` and `-`.
   */
  linkTo(Key: string, seconds: number, { fileName }: { fileName: string }): Promise<string> {
    const ResponseContentDisposition = `attachment; filename="${fileName.replace(/[^\w.-]/g, "_")}"`;
    const command = new GetObjectCommand({ Bucket, Key, ResponseContentDisposition });
    return getSignedUrl(client(), command, { expiresIn: seconds });
  },
});
