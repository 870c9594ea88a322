/** Links to objects that are signed in their query. https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { splitTarget } from "../http/front-end.ts";
import type { AwsCall } from "./service.ts";

/** As S3 answers. */
type LinkProblem = { code: string; message: string };

const MAX_EXPIRES_SECONDS = 604_800;
/** How far ahead of the clock a signature's time may be. */
const MAX_SKEW_MS = 900_000;

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Epoch milliseconds of `20261122T140322Z`; NaN for another text. */
const timeOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

const signatureOf = ({ method, target, headers, secretAccessKey }: AwsCall): string => {
  const { path, query: text } = splitTarget(target);
  const query = new URLSearchParams(text);
  const signedHeaders = query.get("X-Amz-SignedHeaders") ?? "";
  const [time = "", credential = ""] = [query.get("X-Amz-Date") ?? "", query.get("X-Amz-Credential") ?? ""];
  const scope = credential.split("/").slice(1);
  const canonical = [
    method,
    decodeURIComponent(path).split("/").map(encode).join("/"),
    [...query]
      .filter(([name]) => name !== "X-Amz-Signature")
      .map(([name, value]) => [encode(name), encode(value)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map((pair) => pair.join("="))
      .join("&"),
    ...signedHeaders.split(";").map((name) => `${name}:${String(headers[name] ?? "").trim()}`),
    "",
    signedHeaders,
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const hash = createHash("sha256").update(canonical).digest("hex");
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), hash].join("\n");
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString("hex");
};

/** Whether a call is one by a link. */
export const isLink = ({ headers, target }: AwsCall): boolean =>
  headers.authorization === undefined && target.includes("X-Amz-Signature=");

/** Why a link does not open; undefined if it does. */
export const problemWithLink = (call: AwsCall, nowMs: number): LinkProblem | undefined => {
  const query = new URLSearchParams(splitTarget(call.target).query);
  const signedAt = timeOf(query.get("X-Amz-Date") ?? "");
  const expires = Number(query.get("X-Amz-Expires"));
  if (Number.isNaN(signedAt) || !Number.isInteger(expires) || expires < 1 || expires > MAX_EXPIRES_SECONDS)
    return { code: "AuthorizationQueryParametersError", message: "X-Amz-Date or X-Amz-Expires is not valid." };
  if (signedAt > nowMs + MAX_SKEW_MS) return { code: "AccessDenied", message: "Request is not yet valid" };
  if (nowMs >= signedAt + expires * 1000) return { code: "AccessDenied", message: "Request has expired" };
  const given = Buffer.from(query.get("X-Amz-Signature") ?? "");
  const expected = Buffer.from(signatureOf(call));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined;
  const message = "The request signature we calculated does not match the signature you provided.";
  return { code: "SignatureDoesNotMatch", message };
};
