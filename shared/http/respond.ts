/** Responses of the HTTP API. All have the same headers (docs/decisions.md). */
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { DomainError } from "../runtime/domain-error.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";

export type Response = APIGatewayProxyStructuredResultV2 & { statusCode: number; headers: Record<string, string> };

/**
 * @param text the body; without it, the response has no body and no content type. The content type is JSON unless the
 *   headers name another one.
 */
export const respond = (
  requestId: string,
  statusCode: number,
  text?: string,
  headers: Record<string, string> = {},
): Response => ({
  statusCode,
  headers: {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...(text !== undefined && { "content-type": "application/json" }),
    ...headers,
  },
  ...(text !== undefined && { body: text }),
});

/** A page must not load, run or send anything, and must not be framed. */
const pagePolicy = (formAction: "'none'" | "'self'"): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`;

/** A page of HTML. `hasForm`: it may post to the service, and to no other address. */
export const respondHtml = (
  requestId: string,
  statusCode: number,
  { html, hasForm = false }: { readonly html: string; readonly hasForm?: boolean },
  headers: Record<string, string> = {},
): Response =>
  respond(requestId, statusCode, html, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": pagePolicy(hasForm ? "'self'" : "'none'"),
    "referrer-policy": "no-referrer",
    ...headers,
  });

/** RFC 6750: the error code only if a token was sent. */
const challenge = ({ code }: DomainError): string =>
  code === "no_bearer_token" ? "Bearer" : 'Bearer error="invalid_token"';

const headersOf = (error: DomainError, status: number, retryAfter: number | undefined): Record<string, string> => ({
  ...(status === 401 && { "www-authenticate": challenge(error) }),
  ...(error.allow !== undefined && { allow: error.allow.join(", ") }),
  ...(retryAfter !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) }),
});

/** The Error body of a domain error; for any other error a 500 without its cause. */
export const respondError = (requestId: string, thrown: unknown): Response => {
  const error =
    thrown instanceof DomainError
      ? thrown
      : new DomainError("internal", "The service failed. Its operators can find the reason by the request id.");
  const { status, number, retryAfterSeconds } = catalogueEntry(error.code);
  return respond(
    requestId,
    status,
    JSON.stringify({ error: number, message: error.message }),
    headersOf(error, status, error.retryAfterSeconds ?? retryAfterSeconds),
  );
};
