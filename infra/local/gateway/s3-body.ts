/** The bytes of an upload, and the checksums that the client sends with them. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { AwsCall } from "./service.ts";

/** As S3 answers. */
export type BodyProblem = { code: string; message: string };

const UNSIGNED = /^(UNSIGNED-PAYLOAD|STREAMING-)/;

const crc32Of = (body: Buffer): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes.toString("base64");
};

const hashOf = (algorithm: string) => (body: Buffer) => createHash(algorithm).update(body).digest("base64");

/** By header. The SDKs send CRC32 by default; the two other kinds of S3 (CRC32C, CRC64NVME) are not supported. */
const checksums: Readonly<Record<string, (body: Buffer) => string>> = {
  "content-md5": hashOf("md5"),
  "x-amz-checksum-crc32": crc32Of,
  "x-amz-checksum-sha1": hashOf("sha1"),
  "x-amz-checksum-sha256": hashOf("sha256"),
};

/**
 * The body and the trailing headers of a chunked upload, as the SDKs send streams.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
const readChunks = (body: Buffer): { content: Buffer; trailers: Record<string, string> } => {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.toString("latin1", at, end), 16);
    if (end < 0 || Number.isNaN(size)) throw new Error("a chunk without a size");
    at = end + 2;
    if (size === 0) break;
    chunks.push(body.subarray(at, at + size));
    at += size + 2;
  }
  const lines = body.toString("latin1", at).split("\r\n");
  const trailers = lines.flatMap((line) =>
    line.includes(":") ? [[line.split(":", 1)[0], line.replace(/^[^:]*:/, "").trim()]] : [],
  );
  return { content: Buffer.concat(chunks), trailers: Object.fromEntries(trailers) };
};

/** The content of an upload, if its checksums are right. */
export const contentOf = ({ body, headers }: AwsCall): Buffer | BodyProblem => {
  const isChunked = String(headers["content-encoding"] ?? "").includes("aws-chunked");
  const { content, trailers } = isChunked ? readChunks(body) : { content: body, trailers: {} };
  const given = { ...headers, ...trailers };
  for (const [name, value] of Object.entries(given)) {
    const isChecksum = name === "content-md5" || /^x-amz-checksum-(?!mode$|type$|algorithm$)/.test(name);
    if (!isChecksum) continue;
    const compute = checksums[name];
    if (compute === undefined) return { code: "NotImplemented", message: `The local cloud does not check ${name}.` };
    if (compute(content) !== value) return { code: "BadDigest", message: `The ${name} does not match the body.` };
  }
  const signed = String(headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD");
  if (UNSIGNED.test(signed) || signed === createHash("sha256").update(body).digest("hex")) return content;
  return { code: "XAmzContentSHA256Mismatch", message: "The signed hash does not match the body." };
};
