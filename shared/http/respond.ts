/** Responses of the HTTP API: every one, good or bad, carries the same headers. Decisions: docs/decisions.md. */
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { catalogueEntry } from "../api/error-catalogue.ts";
import { DomainError } from "../runtime/domain-error.ts";

export type Response = APIGatewayProxyStructuredResultV2 & { statusCode: number; headers: Record<string, string> };

/** @param json the body's text; without one the response has no body and no content type. */
export const respond = (
  requestId: string,
  statusCode: number,
  json?: string,
  headers: Record<string, string> = {},
): Response => ({
  statusCode,
  headers: {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...(json !== undefined && { "content-type": "application/json" }),
    ...headers,
  },
  ...(json !== undefined && { body: json }),
});

/** RFC 6750: the error code only where a token was sent. */
const challenge = ({ code }: DomainError): string =>
  code === "no_bearer_token" ? "Bearer" : 'Bearer error="invalid_token"';

const headersOf = (error: DomainError, status: number, retryAfter: number | undefined): Record<string, string> => ({
  ...(status === 401 && { "www-authenticate": challenge(error) }),
  ...(error.allow !== undefined && { allow: error.allow.join(", ") }),
  ...(retryAfter !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) }),
});

/** The Error body of a domain error; of anything else a 500 that says nothing about what went wrong inside. */
export const respondError = (requestId: string, thrown: unknown): Response => {
  const error =
    thrown instanceof DomainError
      ? thrown
      : new DomainError("internal", "The service failed. Its operators find the reason by the request id.");
  const { status, number, retryAfterSeconds } = catalogueEntry(error.code);
  return respond(
    requestId,
    status,
    JSON.stringify({ error: number, message: error.message }),
    headersOf(error, status, error.retryAfterSeconds ?? retryAfterSeconds),
  );
};
