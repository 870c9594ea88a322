import { splitTarget } from "../http/front-end.ts";
import type { Check } from "../iam/authorizer.ts";
import type { AwsCall } from "./service.ts";

/** The operations of S3 that the local cloud answers. */
export type S3Operation =
  | "ListObjectsV2"
  | "DeleteObjects"
  | "PutObject"
  | "GetObject"
  | "HeadObject"
  | "DeleteObject"
  | "CreateMultipartUpload"
  | "UploadPart"
  | "CompleteMultipartUpload"
  | "AbortMultipartUpload";

/** `key` is empty in an operation on the bucket. */
export type S3Request = { operation: S3Operation; bucket: string; key: string; query: URLSearchParams };

const OVERRIDES = [
  "content-type",
  "content-disposition",
  "content-encoding",
  "content-language",
  "cache-control",
  "expires",
];
const overrides = OVERRIDES.map((name) => `response-${name}`);

/** By method, the kind of resource, and the parameter that tells operations apart; with the further parameters. */
const operations: readonly {
  method: string;
  on: "bucket" | "object";
  by: string;
  operation: S3Operation;
  and: string[];
}[] = [
  {
    method: "GET",
    on: "bucket",
    by: "list-type",
    operation: "ListObjectsV2",
    and: ["prefix", "delimiter", "start-after", "continuation-token", "max-keys"],
  },
  { method: "POST", on: "bucket", by: "delete", operation: "DeleteObjects", and: [] },
  { method: "PUT", on: "object", by: "uploadId", operation: "UploadPart", and: ["partNumber"] },
  { method: "PUT", on: "object", by: "", operation: "PutObject", and: [] },
  { method: "POST", on: "object", by: "uploads", operation: "CreateMultipartUpload", and: [] },
  { method: "POST", on: "object", by: "uploadId", operation: "CompleteMultipartUpload", and: [] },
  { method: "DELETE", on: "object", by: "uploadId", operation: "AbortMultipartUpload", and: [] },
  { method: "DELETE", on: "object", by: "", operation: "DeleteObject", and: [] },
  { method: "GET", on: "object", by: "", operation: "GetObject", and: overrides },
  { method: "HEAD", on: "object", by: "", operation: "HeadObject", and: overrides },
];

/** Headers of every call, and those of checksums. Any other `x-amz-` header asks for something that is not supported. */
const KNOWN_HEADER =
  /^x-amz-(content-sha256|date|security-token|user-agent|trailer|decoded-content-length|sdk-checksum-algorithm|checksum-.+)$/;
/** Reads are answered without looking at their conditions. */
const CONDITIONS = ["if-match", "if-none-match"];
const mayHave = (operation: S3Operation, condition: string): boolean =>
  operation === "PutObject" && condition === "if-match";

/** Reads the operation; undefined if it, or a parameter or header of it, is not supported. */
export const readS3Request = ({
  method,
  target,
  headers,
}: Pick<AwsCall, "method" | "target" | "headers">): S3Request | undefined => {
  const { path, query: text } = splitTarget(target);
  const query = new URLSearchParams(text);
  const [bucket = "", ...rest] = path.slice(1).split("/");
  const on = rest.join("/") === "" ? "bucket" : "object";
  const found = operations.find(
    (one) => one.method === method && one.on === on && (one.by === "" || query.has(one.by)),
  );
  if (found === undefined) return undefined;
  const isKnown = (name: string) =>
    name === found.by || name === "x-id" || name.startsWith("X-Amz-") || found.and.includes(name);
  const isRead = method === "GET" || method === "HEAD";
  const refused = Object.keys(headers).some(
    (name) =>
      (name.startsWith("x-amz-") && !KNOWN_HEADER.test(name)) ||
      (!isRead && CONDITIONS.includes(name) && !mayHave(found.operation, name)),
  );
  if (refused || ![...query.keys()].every(isKnown)) return undefined;
  try {
    return { operation: found.operation, bucket, key: decodeURIComponent(rest.join("/")), query };
  } catch {
    return undefined;
  }
};

const actions: Readonly<Record<Exclude<S3Operation, "ListObjectsV2">, string>> = {
  DeleteObjects: "s3:DeleteObject",
  PutObject: "s3:PutObject",
  GetObject: "s3:GetObject",
  HeadObject: "s3:GetObject",
  DeleteObject: "s3:DeleteObject",
  CreateMultipartUpload: "s3:PutObject",
  UploadPart: "s3:PutObject",
  CompleteMultipartUpload: "s3:PutObject",
  AbortMultipartUpload: "s3:AbortMultipartUpload",
};

/**
 * What a request must be allowed to do.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 * @param keys of the objects.
 * @param isMissing S3 says that an object is missing only to a role that may list the bucket, and denies others.
 */
export const checksOf = (
  { operation, bucket, query }: S3Request,
  keys: readonly string[],
  { isMissing }: { isMissing: boolean },
): Check[] => {
  const arn = `arn:aws:s3:::${bucket}`;
  if (operation === "ListObjectsV2") {
    const context = { "s3:prefix": [query.get("prefix") ?? ""] };
    return [{ action: "s3:ListBucket", resource: arn, context }];
  }
  const ofObjects = keys.map((key) => ({ action: actions[operation], resource: `${arn}/${key}` }));
  return isMissing ? [...ofObjects, { action: "s3:ListBucket", resource: arn }] : ofObjects;
};
