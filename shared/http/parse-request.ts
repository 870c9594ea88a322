/** From a request to a handler's typed input. */

import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import { DomainError } from "../runtime/domain-error.ts";
import type { Caller } from "../terms/caller.ts";
import { IDEMPOTENCY_KEY, IdempotencyHeader } from "../terms/idempotency-key.ts";
import { prefersHtml } from "./accept.ts";
import type { CursorBinding, OpenCursors } from "./cursor.ts";
import { pageQuery } from "./page-query.ts";
import { parseBody } from "./parse-body.ts";
import type { RequestOf, Route } from "./route.ts";

const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_NAME_CHARACTERS = 50;

/** The message for a value of a wrong type if its schema has no message: `expected an object`. */
const expectedType: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_type"
    ? `expected ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`
    : undefined;

/**
 * Parses a part of a request by its schema. Unknown fields are dropped by the schema.
 * @param part names the whole in issues without a path, such as `body`.
 * @throws DomainError `invalid_field` that names each wrong field and the expected value.
 */
export const parseFields = <Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  part: string,
): z.output<Schema> => {
  const result = schema.safeParse(value, { error: expectedType });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || part}: ${message}`);
  throw new DomainError("invalid_field", problems.join("; ").slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed());
};

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};

const refuseParameter = (name: string, names: readonly string[]): never => {
  const existing = names.length === 0 ? "no query parameter" : `one of ${names.join(", ")}`;
  throw new DomainError(
    "invalid_field",
    `${name.slice(0, MAX_NAME_CHARACTERS)}: unknown parameter, expected ${existing}`,
  );
};

/**
 * The named parameters of a query string, decoded. Reads the raw text, because the HTTP API joins repeated parameters with
 * commas.
 * @throws DomainError `invalid_field` if a named parameter is repeated, empty or not well encoded, and for another
 *   parameter unless `ignoresOthers`.
 */
export const parseQuery = (
  rawQueryString: string,
  names: readonly string[],
  ignoresOthers = false,
): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const pair of rawQueryString.split("&")) {
    const [encodedName = "", ...rest] = pair.split("=");
    const name = decode(encodedName);
    if (name === undefined || !names.includes(name)) {
      if (pair === "" || ignoresOthers) continue;
      return refuseParameter(name ?? encodedName, names);
    }
    const value = decode(rest.join("="));
    if (Object.hasOwn(found, name)) throw new DomainError("invalid_field", `${name}: expected to be given once`);
    if (value === undefined) throw new DomainError("invalid_field", `${name}: expected well-formed percent-encoding`);
    if (value === "") throw new DomainError("invalid_field", `${name}: expected a value`);
    found[name] = value;
  }
  return found;
};

/** A parsed request, with the query that a list repeats in the link to its next page. */
export type ParsedRequest<R extends Route> = {
  request: RequestOf<R>;
  /** The query as sent, without `cursor`; the link to the next page repeats it. */
  sentQuery: Record<string, string>;
  binding: CursorBinding;
  idempotencyKey: string | undefined;
};

/** The HTTP API writes header names in lower case. @throws DomainError `invalid_field`. */
const parseIdempotencyKey = ({ headers }: APIGatewayProxyEventV2): string | undefined =>
  parseFields(IdempotencyHeader, { [IDEMPOTENCY_KEY]: headers[IDEMPOTENCY_KEY.toLowerCase()] }, "headers")[
    IDEMPOTENCY_KEY
  ];

const none = z.object({});

const bindingOf = (event: APIGatewayProxyEventV2, caller: Caller | undefined, sentQuery: Record<string, string>) => {
  const { limit: _, ...filters } = sentQuery;
  const query = Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  return { scope: caller?.scope ?? "", query: `${event.routeKey} ${event.rawPath} ${JSON.stringify(query)}` };
};

/**
 * Prepares a route's schemas once and returns the function that parses its requests: body, query, header, and last the path,
 * because a text that cannot be an id is 404 (idOf in route.ts).
 * That function throws DomainErrors of status 400, 404, 413 and 415, and no others.
 */
export const createRequestParser = <R extends Route>(route: R, openCursors: OpenCursors | undefined) => {
  const { params = none, query = none, body } = route.request;
  const { paging } = route;
  const paged = paging === undefined ? none : pageQuery(paging);
  const names = [...Object.keys(query.shape), ...Object.keys(paged.shape)];

  const parsePage = async (binding: CursorBinding, { limit, cursor }: { limit?: number; cursor?: string }) => {
    if (paging === undefined || openCursors === undefined) return undefined;
    return {
      limit: limit ?? paging.defaultLimit,
      after: cursor === undefined ? undefined : (await openCursors()).open(binding, paging.position, cursor),
    };
  };

  return async (event: APIGatewayProxyEventV2, caller: Caller | undefined): Promise<ParsedRequest<R>> => {
    const parsedBody = body && parseFields(body, await parseBody(event), "body");
    const sent = parseQuery(event.rawQueryString, names, route.ignoresUnknownParameters);
    const parsedQuery = route.request.query && parseFields(query, sent, "query");
    const page = parseFields(paged, sent, "query");
    const { cursor: _, ...sentQuery } = sent;
    const binding = bindingOf(event, caller, sentQuery);
    const parsedPage = await parsePage(binding, page);
    const idempotencyKey = route.isIdempotent && parseIdempotencyKey(event);
    const request = {
      body: parsedBody,
      params: route.request.params && parseFields(params, event.pathParameters ?? {}, "path"),
      query: parsedQuery,
      page: parsedPage,
      ...(route.success.html && { prefersHtml: prefersHtml(event.headers.accept) }),
    };
    // Each part was parsed by the route's schema, as RequestOf describes.
    return { request: request as RequestOf<R>, sentQuery, binding, idempotencyKey };
  };
};
