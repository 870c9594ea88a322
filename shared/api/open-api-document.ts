/**
 * The OpenAPI 3.1 document, rendered from the route table, the schemas and the error catalogue. This file contains only
 * texts that apply to all endpoints, and the list of event types.
 */
import * as z from "zod/mini";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { pageQuery } from "../http/page-query.ts";
import { type Route, tags } from "../http/route.ts";
import { INT64_MAX, INT64_MIN } from "../json/int64.ts";
import { EVENT_TYPE } from "../security/monitoring/security-report.ts";
import { EventTypeName, eventTypes } from "../security/security-event.ts";
import { catalogueEntry, type ErrorName } from "../terms/error-catalogue.ts";
import { errorMeanings } from "../terms/error-meanings.ts";
import { IdempotencyHeader } from "../terms/idempotency-key.ts";
import { examplesOf } from "./examples.ts";
import { failureResponses, failuresOf, headers, successHeaders, throttledResponse } from "./open-api-responses.ts";
import { webhookPaths } from "./webhook-operation.ts";

// Not beside the schema: then each function that records events would load the sentences at its cold start.
// `x-enum-descriptions` is for generators that write documentation; the description is for readers.
EventTypeName.register(z.globalRegistry, {
  id: EVENT_TYPE,
  description: `The kind of a security event:\n\n${Object.entries(eventTypes)
    .map(([type, sentence]) => `- \`${type}\`: ${sentence}`)
    .join("\n")}`,
  override: { type: "string", enum: Object.keys(eventTypes), "x-enum-descriptions": Object.values(eventTypes) },
});

const operationOf = (operationId: string, route: Route): ZodOpenApiOperationObject => {
  const { request, success, paging, permission } = route;
  const needsToken = permission !== "public" && permission !== "link";
  const query = paging === undefined ? request.query : z.extend(request.query ?? z.object({}), pageQuery(paging).shape);
  return {
    operationId,
    summary: route.summary,
    description: needsToken ? `${route.description} Permission: \`${permission}\`.` : route.description,
    tags: [route.tag],
    security: needsToken ? [{ bearer: [] }] : [],
    requestParams: {
      ...(request.params && { path: request.params }),
      ...(query && { query }),
      ...(route.isIdempotent && { header: IdempotencyHeader }),
    },
    ...(request.body && {
      requestBody: {
        // A missing body counts as {}.
        required: !request.body.safeParse({}).success,
        content: { "application/json": { schema: request.body, ...examplesOf(operationId, "request") } },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: successHeaders(route),
        ...((success.body || success.html) && {
          content: {
            ...(success.body && {
              "application/json": { schema: success.body, ...examplesOf(operationId, "response") },
            }),
            ...(success.html && { "text/html": { schema: { type: "string" as const } } }),
          },
        }),
      },
      429: throttledResponse,
      ...failureResponses(failuresOf(route)),
    },
  };
};

const errorTable = (): string =>
  Object.entries(errorMeanings)
    .map(([name, meaning]) => ({ ...catalogueEntry(name as ErrorName), meaning }))
    .map(({ number, status, meaning }) => `| ${number} | ${status} | ${meaning} |`)
    .join("\n");

const description = (): string => `Stores plants, and monitors an organization's integration with its payment provider.

Every failure that reaches the service has the body \`{"error": number, "message": string}\`:

| error | status | meaning |
|---|---|---|
${errorTable()}

If the gateway itself answers, the body is \`{"message": string}\`: 400, 413, 429 and 431 for a request that is malformed, too large or throttled; 500 or 503 if the function's instance died. After a 500 or 503 of the gateway, the request may have been carried out or not: repeat it. The repetition of a POST has no second effect if both requests have the same \`Idempotency-Key\`; the operations that accept one list it as a header. Without a key, \`POST /plants\` answers 409 if the plant exists already. The repetition of any other method has no second effect.`;

/** The range of int64 in all its digits, which a number of JavaScript cannot have. */
const INT64_RANGE = { minimum: JSON.rawJSON(String(INT64_MIN)), maximum: JSON.rawJSON(String(INT64_MAX)) };

/**
 * Completes the schemas of integers in a part of the document: adds the range of int64, and removes the pattern of the
 * text on the wire, because a pattern does not apply to an integer.
 */
const completeIntegers = (part: unknown): void => {
  if (typeof part !== "object" || part === null || JSON.isRawJSON(part)) return;
  if ("type" in part && part.type === "integer") {
    if ("pattern" in part) delete part.pattern;
    if ("format" in part && part.format === "int64") Object.assign(part, { ...INT64_RANGE, ...part });
  }
  for (const inner of Object.values(part)) completeIntegers(inner);
};

type Described = { default?: unknown; description?: string };

/**
 * Has the description of a property that may be missing say its default, instead of the keyword `default`: generators of
 * clients take a property with the keyword for one that is always there, and would require it in requests.
 */
const describeDefaults = (part: unknown): void => {
  if (typeof part !== "object" || part === null || JSON.isRawJSON(part)) return;
  const { properties = {}, required = [] } = part as { properties?: Record<string, Described>; required?: string[] };
  for (const [name, property] of Object.entries(properties)) {
    if (property.default === undefined || required.includes(name)) continue;
    const said = `Default: \`${JSON.stringify(property.default)}\`.`;
    property.description = property.description === undefined ? said : `${property.description} ${said}`;
    delete property.default;
  }
  for (const inner of Object.values(part)) describeDefaults(inner);
};

/** Moves the description of each parameter from its schema to the parameter, where pages and generators show it. */
const describeParameters = (paths: Readonly<Record<string, object>>): void => {
  for (const item of Object.values(paths)) {
    for (const { parameters = [] } of Object.values(item) as {
      parameters?: { schema?: { description?: string } }[];
    }[]) {
      for (const parameter of parameters) {
        const { description: text, ...schema } = parameter.schema ?? {};
        if (text !== undefined) Object.assign(parameter, { description: text, schema });
      }
    }
  }
};

/**
 * The document; its JSON text has numbers of 64 bits.
 * @param routes the table, by operationId.
 */
export const createOpenApiDocument = (routes: Readonly<Record<string, Route>>) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, route] of Object.entries(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(name, route) };
  }
  Object.assign(paths, webhookPaths());
  const document = createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Plant store and integration security monitoring",
        version: "1.0.0",
        description: description(),
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "The address from which this document was read." }],
      tags: Object.entries(tags).map(([name, { description: about }]) => ({ name, description: about })),
      paths,
      components: {
        headers,
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            bearerFormat: "JWT",
            description: "An access token of the deployment's OpenID Connect issuer, for its audience.",
          },
        },
      },
    },
    // Inputs and outputs share one component per schema, because outputs may gain fields later.
    { outputIdSuffix: "", allowEmptySchema: { unknown: true } },
  );
  completeIntegers(document);
  describeDefaults(document);
  describeParameters(document.paths ?? {});
  return document;
};
