import { randomBytes } from "node:crypto";
import type { WireRequest } from "../http/front-end.ts";

/** Headers that end at the front end. */
const HOP_BY_HOP = new Set([
  "connection",
  "content-length",
  "cookie",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** All other bodies reach the function as base64, forms and bodies without a content type included. */
const TEXTUAL = /^\s*(text\/|application\/([\w.-]+\+)?(json|xml|javascript)\s*(;|$))/i;

/** The facts of one front end (HTTP API, Lambda URL) that the request does not contain. */
export type EventContext = {
  accountId: string;
  apiId: string;
  routeKey: string;
  /** Decoded or not, depending on the front end. */
  path: string;
  pathParameters: Readonly<Record<string, string>>;
  port: number;
  requestId: string;
  nowMs: number;
};

/** `21/Nov/2026:10:00:00 +0000` */
const commonLogTime = (epochMs: number): string => {
  const [, day, month, year, time] = new Date(epochMs).toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
};

const joined = (pairs: Iterable<readonly [string, string]>): Record<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(values);
};

function* headersOf(rawHeaders: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    yield [(rawHeaders[index] ?? "").toLowerCase(), rawHeaders[index + 1] ?? ""];
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const encodeBody = (body: Buffer, contentType: string): { body: string; isBase64Encoded: boolean } => {
  try {
    if (TEXTUAL.test(contentType)) return { body: utf8.decode(body), isBase64Encoded: false };
  } catch {
    // The body is not UTF-8, whatever its content type says, so it is passed on as bytes.
  }
  return { body: body.toString("base64"), isBase64Encoded: true };
};

/**
 * The event that a function receives for an HTTP request.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export const createHttpEvent = (request: WireRequest, context: EventContext) => {
  const { accountId, apiId, routeKey, path, pathParameters, port, requestId, nowMs } = context;
  const pairs = [...headersOf(request.rawHeaders)];
  const sent = joined(pairs.filter(([name]) => !HOP_BY_HOP.has(name)));
  const cookies = pairs.filter(([name]) => name === "cookie").flatMap(([, value]) => value.split(/; */));
  const question = request.target.indexOf("?");
  const rawQueryString = question === -1 ? "" : request.target.slice(question + 1);
  const query = joined(new URLSearchParams(rawQueryString));
  const forwardedFor = [sent["x-forwarded-for"], request.sourceIp].filter(Boolean).join(", ");
  const domainName = (sent.host ?? "127.0.0.1").replace(/:\d+$/, "");
  return {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers: {
      ...sent,
      ...(request.body && { "content-length": String(request.body.length) }),
      "x-amzn-trace-id": `Root=1-${Math.floor(nowMs / 1000).toString(16)}-${randomBytes(12).toString("hex")}`,
      "x-forwarded-for": forwardedFor,
      "x-forwarded-port": String(port),
      "x-forwarded-proto": "http",
    },
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    requestContext: {
      accountId,
      apiId,
      domainName,
      domainPrefix: domainName.split(".")[0],
      http: {
        method: request.method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        ...(sent["user-agent"] !== undefined && { userAgent: sent["user-agent"] }),
      },
      requestId,
      routeKey,
      stage: "$default",
      time: commonLogTime(nowMs),
      timeEpoch: nowMs,
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(request.body && request.body.length > 0
      ? encodeBody(request.body, sent["content-type"] ?? "")
      : { isBase64Encoded: false }),
  };
};
