import { Readable } from "node:stream";
import type { ObjectBucket, ObjectBuckets, UploadProblem } from "../buckets/buckets.ts";
import type { StoredObject } from "../buckets/object-table.ts";
import type { Clock } from "../core/clock.ts";
import { contentOf } from "./s3-body.ts";
import { checksOf, readS3Request, type S3Request } from "./s3-request.ts";
import { errorXml, texts, xmlAnswer } from "./s3-xml.ts";
import type { AwsAnswer, AwsCall, AwsService } from "./service.ts";
import { isLink, problemWithLink } from "./signed-link.ts";

const MAX_KEYS = 1_000;
const MAX_PARTS = 10_000;
const MAX_KEY_BYTES = 1_024;

/** What an upload says about the object, and what GET repeats. */
const KEPT = [
  "content-type",
  "content-disposition",
  "content-encoding",
  "content-language",
  "cache-control",
  "expires",
];

const headersToKeep = ({ headers }: AwsCall): Record<string, string> => {
  const kept = KEPT.flatMap((name) => {
    const value = String(headers[name] ?? "").replace(/^aws-chunked(, *)?/, "");
    return value === "" ? [] : [[name, value]];
  });
  return { "content-type": "binary/octet-stream", ...Object.fromEntries(kept) };
};

/** The first and last byte that a Range header asks for; `all` without one, and for several ranges at once. */
const rangeOf = (header: string | undefined, bytes: number): { start: number; end: number } | "all" | "invalid" => {
  const [match, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (match === undefined || first + last === "") return "all";
  const start = first === "" ? Math.max(bytes - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return "all";
  return start > end ? "invalid" : { start, end };
};

const uploadProblems: Readonly<Record<UploadProblem, [status: number, message: string]>> = {
  NoSuchUpload: [404, "The specified upload does not exist. It may have been aborted or completed."],
  InvalidPart: [400, "One or more of the specified parts could not be found, or has another entity tag."],
  InvalidPartOrder: [400, "The list of parts was not in ascending order."],
  EntityTooSmall: [400, "A part but the last is smaller than 5 MiB."],
  MalformedXML: [400, "The list of parts is empty."],
};

const uploadProblem = (problem: UploadProblem): AwsAnswer =>
  errorXml(uploadProblems[problem][0], problem, uploadProblems[problem][1]);

const keysToDelete = ({ body }: AwsCall): string[] => texts(body.toString("utf8"), "Key");

/**
 * S3 for the buckets of the template: objects, uploads in parts, lists and signed links. Other operations, parameters
 * and headers (versions, tags, copies, other conditions) are denied. docs/local-cloud.md, "Buckets".
 */
export const createS3Service = (options: { buckets: ObjectBuckets; clock: Pick<Clock, "now"> }): AwsService => {
  const { buckets, clock } = options;

  const show = (call: AwsCall, { key, query, operation }: S3Request, bucket: ObjectBucket): AwsAnswer => {
    const object = bucket.find(key);
    if (object === undefined) return errorXml(404, "NoSuchKey", "The specified key does not exist.");
    const range = rangeOf(call.headers.range, object.bytes);
    if (range === "invalid") return errorXml(416, "InvalidRange", "The requested range is not satisfiable");
    const { start, end } = range === "all" ? { start: 0, end: object.bytes - 1 } : range;
    const overridden = KEPT.flatMap((name) => {
      const value = query.get(`response-${name}`);
      return value === null ? [] : [[name, value]];
    });
    const headers = {
      ...object.headers,
      ...Object.fromEntries(overridden),
      "content-length": String(end - start + 1),
      "accept-ranges": "bytes",
      etag: object.etag,
      "last-modified": new Date(object.modified_at).toUTCString(),
      ...(range !== "all" && { "content-range": `bytes ${start}-${end}/${object.bytes}` }),
    };
    const body = operation === "HeadObject" ? Buffer.alloc(0) : Readable.from(bucket.read(object, start, end));
    return { status: range === "all" ? 200 : 206, headers, body };
  };

  /** The part of each key to the next slash. Keys without one, and other delimiters, are not needed. */
  const listFolders = (
    name: string,
    bucket: ObjectBucket,
    { prefix, after, limit }: { prefix: string; after: string; limit: number },
  ): AwsAnswer => {
    const folders: string[] = [];
    for (let start = after; folders.length <= limit; ) {
      const [first] = bucket.list({ prefix, after: start, limit: 1 });
      if (first === undefined) break;
      const folder = prefix + first.key.slice(prefix.length).split("/", 1)[0];
      folders.push(`${folder}/`);
      start = `${folder}0`;
    }
    const isTruncated = folders.length > limit;
    const shown = folders.slice(0, limit);
    const next = `${shown.at(-1)?.slice(0, -1)}0`;
    return xmlAnswer(200, "ListBucketResult", [
      { Name: name, Prefix: prefix, KeyCount: shown.length, MaxKeys: limit, IsTruncated: isTruncated, Delimiter: "/" },
      ...(isTruncated ? [{ NextContinuationToken: Buffer.from(next).toString("base64url") }] : []),
      ...shown.map((Prefix) => ({ CommonPrefixes: { Prefix } })),
    ]);
  };

  const list = ({ query, bucket: name }: S3Request, bucket: ObjectBucket): AwsAnswer => {
    const prefix = query.get("prefix") ?? "";
    const token = query.get("continuation-token");
    const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
    const limit = Math.min(Number(query.get("max-keys") ?? MAX_KEYS), MAX_KEYS);
    if (query.get("delimiter") === "/") return listFolders(name, bucket, { prefix, after, limit });
    const found = bucket.list({ prefix, after, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const isTruncated = found.length > limit;
    const contents = shown.map(({ key, bytes, etag, modified_at }: StoredObject) => ({
      Contents: {
        Key: key,
        LastModified: new Date(modified_at).toISOString(),
        ETag: etag,
        Size: bytes,
        StorageClass: "STANDARD",
      },
    }));
    const next = shown.at(-1)?.key ?? after;
    return xmlAnswer(200, "ListBucketResult", [
      { Name: name, Prefix: prefix, KeyCount: shown.length, MaxKeys: limit, IsTruncated: isTruncated },
      ...(isTruncated ? [{ NextContinuationToken: Buffer.from(next).toString("base64url") }] : []),
      ...contents,
    ]);
  };

  const uploadPart = (call: AwsCall, { key, query }: S3Request, bucket: ObjectBucket): AwsAnswer => {
    const number = Number(query.get("partNumber"));
    if (!Number.isInteger(number) || number < 1 || number > MAX_PARTS)
      return errorXml(400, "InvalidArgument", `Part number must be an integer between 1 and ${MAX_PARTS}, inclusive`);
    const content = contentOf(call);
    if (!Buffer.isBuffer(content)) return errorXml(400, content.code, content.message);
    const etag = bucket.uploadPart(key, query.get("uploadId") ?? "", number, content);
    return etag === undefined
      ? uploadProblem("NoSuchUpload")
      : { status: 200, headers: { etag }, body: Buffer.alloc(0) };
  };

  const complete = (call: AwsCall, { key, query, bucket: name }: S3Request, bucket: ObjectBucket): AwsAnswer => {
    const parts = texts(call.body.toString("utf8"), "Part", { isXml: true }).map((part) => ({
      number: Number(texts(part, "PartNumber")[0]),
      etag: `"${texts(part, "ETag")[0]?.replaceAll('"', "")}"`,
    }));
    const result = bucket.completeUpload(key, query.get("uploadId") ?? "", parts);
    return "problem" in result
      ? uploadProblem(result.problem)
      : xmlAnswer(200, "CompleteMultipartUploadResult", [{ Bucket: name, Key: key, ETag: result.etag }]);
  };

  const put = (call: AwsCall, { key }: S3Request, bucket: ObjectBucket): AwsAnswer => {
    const content = contentOf(call);
    if (!Buffer.isBuffer(content)) return errorXml(400, content.code, content.message);
    const expected = call.headers["if-match"];
    const found = expected === undefined ? undefined : bucket.find(key);
    if (expected !== undefined && found === undefined)
      return errorXml(404, "NoSuchKey", "The specified key does not exist.");
    if (found !== undefined && found.etag !== expected)
      return errorXml(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
    return { status: 200, headers: { etag: bucket.put(key, content, headersToKeep(call)) }, body: Buffer.alloc(0) };
  };

  const noContent: AwsAnswer = { status: 204, headers: {}, body: Buffer.alloc(0) };

  const answer = (call: AwsCall, request: S3Request, bucket: ObjectBucket): AwsAnswer => {
    const { operation, key, query } = request;
    switch (operation) {
      case "GetObject":
      case "HeadObject":
        return show(call, request, bucket);
      case "ListObjectsV2":
        return list(request, bucket);
      case "PutObject":
        return put(call, request, bucket);
      case "DeleteObject":
        bucket.remove([key]);
        return noContent;
      case "DeleteObjects": {
        const keys = keysToDelete(call);
        bucket.remove(keys);
        const isQuiet = texts(call.body.toString("utf8"), "Quiet")[0] === "true";
        return xmlAnswer(200, "DeleteResult", isQuiet ? [] : keys.map((Key) => ({ Deleted: { Key } })));
      }
      case "CreateMultipartUpload": {
        const UploadId = bucket.beginUpload(key, headersToKeep(call));
        return xmlAnswer(200, "InitiateMultipartUploadResult", [{ Bucket: request.bucket, Key: key, UploadId }]);
      }
      case "UploadPart":
        return uploadPart(call, request, bucket);
      case "CompleteMultipartUpload":
        return complete(call, request, bucket);
      case "AbortMultipartUpload":
        return bucket.abortUpload(key, query.get("uploadId") ?? "") ? noContent : uploadProblem("NoSuchUpload");
    }
  };

  return {
    checks: (call) => {
      const request = readS3Request(call);
      if (request === undefined) return undefined;
      const { operation, key } = request;
      const isRead = operation === "GetObject" || operation === "HeadObject";
      const isMissing = isRead && buckets.find(request.bucket)?.find(key) === undefined;
      return checksOf(request, operation === "DeleteObjects" ? keysToDelete(call) : [key], { isMissing });
    },
    answer: async (call) => {
      const problem = isLink(call) ? problemWithLink(call, clock.now()) : undefined;
      if (problem !== undefined) return errorXml(403, problem.code, problem.message);
      const request = readS3Request(call);
      const bucket = request && buckets.find(request.bucket);
      if (request === undefined || bucket === undefined)
        return errorXml(404, "NoSuchBucket", "The specified bucket does not exist");
      if (Buffer.byteLength(request.key) > MAX_KEY_BYTES)
        return errorXml(400, "KeyTooLongError", "Your key is too long");
      return answer(call, request, bucket);
    },
    refuse: (code, message) => errorXml(403, code, message),
    close: () => {},
  };
};
