/**
 * The JSON body of a request. @middy/http-json-body-parser decodes and parses. This file adds limits before it, and
 * replaces its errors, which contain the body. Decisions: docs/decisions.md, "Bodies".
 */
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { reviveExactly } from "../json/revive-exactly.ts";
import { DomainError } from "../runtime/domain-error.ts";

export const MAX_BODY_BYTES = 65_536;

const JSON_TYPE = /^\s*application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

const isUtf8Json = (contentType: string | undefined): boolean =>
  contentType !== undefined &&
  JSON_TYPE.test(contentType) &&
  (CHARSET.exec(contentType)?.[1] ?? "utf-8").toLowerCase() === "utf-8";

const invalidJson = () => new DomainError("invalid_json", "body: expected valid JSON in well-formed UTF-8");

/** The body as text; undefined without a body. */
const decodeBody = ({ body, isBase64Encoded }: APIGatewayProxyEventV2): string | undefined => {
  if (body === undefined || body === "") return undefined;
  const bytes = Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > MAX_BODY_BYTES) {
    throw new DomainError("body_too_large", `body: expected at most ${MAX_BODY_BYTES} bytes`);
  }
  if (!isBase64Encoded) return body;
  try {
    // Keeps a byte-order mark, which the parser then refuses, as RFC 8259 allows.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw invalidJson();
  }
};

const parser = httpJsonBodyParser({ disableContentTypeCheck: true, reviver: reviveExactly });

/**
 * The parsed body, its integers as exact bigints; `{}` without a body, so that errors name the required fields.
 * @throws DomainError `body_too_large`, `unsupported_media_type` or `invalid_json`.
 */
export const parseBody = async (event: APIGatewayProxyEventV2): Promise<unknown> => {
  const text = decodeBody(event);
  if (text === undefined) return {};
  if (!isUtf8Json(event.headers["content-type"])) {
    throw new DomainError("unsupported_media_type", "content-type: expected application/json");
  }
  const request: { event: { headers: object; body: unknown; isBase64Encoded: boolean } } = {
    event: { headers: event.headers, body: text, isBase64Encoded: false },
  };
  try {
    await parser.before?.(request as never);
  } catch {
    throw invalidJson();
  }
  return request.event.body;
};
