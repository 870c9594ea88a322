/**
 * The OpenAPI 3.1 document, rendered from the route table, the schemas and the error catalogue. Nothing about an
 * endpoint is said here: what stands below holds for all of them.
 */
import * as z from "zod/mini";
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from "zod-openapi";
import { pageQuery } from "../http/page-query.ts";
import { type Route, tags } from "../http/route.ts";
import { catalogueEntry, type ErrorName, errorCatalogue } from "../terms/error-catalogue.ts";
import { IdempotencyHeader } from "../terms/idempotency-key.ts";
import { needsOrganization, type Permission, roles, rolesWith } from "../terms/permissions.ts";
import { WEBHOOK_PATH, webhookOperation } from "./webhook-operation.ts";

const ErrorBody = z
  .object({
    error: z.number().register(z.globalRegistry, {
      description: "A stable number: the HTTP status times 100 plus a running number.",
      override: { type: "integer", format: "int32" },
    }),
    message: z.string().register(z.globalRegistry, { description: "What is wrong, and where." }),
  })
  .register(z.globalRegistry, { id: "Error", description: "The body of every failure." });

/** What API Gateway itself answers when a caller is throttled; the function is not reached. */
const Throttled = z
  .object({ message: z.string() })
  .register(z.globalRegistry, { id: "GatewayError", description: "An answer of the gateway's own." });

const throttledResponse = {
  description: "Too many requests. The gateway's own answer.",
  content: {
    "application/json": { schema: Throttled, examples: { throttled: { value: { message: "Too Many Requests" } } } },
  },
};

const REQUEST_ID = { "x-request-id": { $ref: "#/components/headers/RequestId" } } as const;

const headers = {
  RequestId: { description: "Names this request in the service's log.", schema: { type: "string" } },
  RetryAfter: { description: "Whole seconds after which to try again.", schema: { type: "integer", minimum: 1 } },
  Challenge: { description: "RFC 6750. The gateway may rename this header.", schema: { type: "string" } },
  Vary: { description: "Accept: what the caller prefers decides the form.", schema: { type: "string" } },
  NextPage: {
    description: 'RFC 8288: the address of the next page, with rel="next"; absent on the last one.',
    schema: { type: "string" },
  },
} as const;

/** Records are for all roles, but not every type of them for each. */
const isForAllRoles = (permission: Permission): boolean =>
  permission !== "records:read" && rolesWith(permission).length === roles.length;

/** The failures that a request to the route can meet, besides the gateway's own. */
const failuresOf = ({ permission, request, paging, isIdempotent, failures }: Route): ErrorName[] => {
  const takesInput = request.body ?? request.params ?? request.query ?? paging ?? isIdempotent;
  const authentication: ErrorName[] = ["no_bearer_token", "invalid_token", "expired_token"];
  const isPublic = permission === "public";
  return [
    ...(isPublic ? [] : authentication),
    ...(isPublic || isForAllRoles(permission) ? [] : (["role_may_not"] as const)),
    ...(isPublic || !needsOrganization(permission)
      ? []
      : (["organization_required", "ip_address_not_allowed"] as const)),
    ...(request.body ? (["body_too_large", "unsupported_media_type", "invalid_json"] as const) : []),
    ...(takesInput ? (["invalid_field"] as const) : []),
    ...(paging ? (["invalid_cursor"] as const) : []),
    ...failures,
    "internal",
    ...(isPublic ? [] : (["store_unavailable", "key_set_unavailable"] as const)),
  ];
};

/** One response per status, with an example per failure that has it. */
const failureResponses = (names: readonly ErrorName[]): ZodOpenApiOperationObject["responses"] => {
  const byStatus = Map.groupBy(names, (name) => catalogueEntry(name).status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((name) => catalogueEntry(name).meaning).join(" "),
        headers: {
          ...REQUEST_ID,
          ...(status === 401 && { "www-authenticate": { $ref: "#/components/headers/Challenge" } }),
          ...(status === 503 && { "retry-after": { $ref: "#/components/headers/RetryAfter" } }),
        },
        content: {
          "application/json": {
            schema: ErrorBody,
            examples: Object.fromEntries(
              group.map((name) => {
                const { number, meaning } = catalogueEntry(name);
                return [name, { value: { error: number, message: meaning } }];
              }),
            ),
          },
        },
      },
    ]),
  );
};

const operationOf = (operationId: string, route: Route): ZodOpenApiOperationObject => {
  const { request, success, paging, permission } = route;
  const query = paging === undefined ? request.query : z.extend(request.query ?? z.object({}), pageQuery(paging).shape);
  return {
    operationId,
    summary: route.summary,
    description: permission === "public" ? route.description : `${route.description} Permission: \`${permission}\`.`,
    tags: [route.tag],
    security: permission === "public" ? [] : [{ bearer: [] }],
    requestParams: {
      ...(request.params && { path: request.params }),
      ...(query && { query }),
      ...(route.isIdempotent && { header: IdempotencyHeader }),
    },
    ...(request.body && {
      requestBody: {
        // No body counts as {}.
        required: !request.body.safeParse({}).success,
        content: { "application/json": { schema: request.body } },
      },
    }),
    responses: {
      [success.status]: {
        description: success.description,
        headers: {
          ...REQUEST_ID,
          ...(paging && { link: { $ref: "#/components/headers/NextPage" } }),
          ...(success.html && { vary: { $ref: "#/components/headers/Vary" } }),
        },
        ...(success.body && {
          content: {
            "application/json": { schema: success.body },
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
  Object.values(errorCatalogue)
    .map(({ number, status, meaning }) => `| ${number} | ${status} | ${meaning} |`)
    .join("\n");

const description = (): string => `Keeps plants, and guards an organization's integration with its payment provider.

Every failure that reaches the service has the body \`{"error": number, "message": string}\`:

| error | status | meaning |
|---|---|---|
${errorTable()}

The gateway's own answers (throttled, malformed or too large for it) have the shape \`{"message": string}\`.`;

/** @param routes the table, by operationId. */
export const createOpenApiDocument = (routes: Readonly<Record<string, Route>>) => {
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, route] of Object.entries(routes)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(name, route) };
  }
  paths[WEBHOOK_PATH] = { post: webhookOperation(failureResponses) };
  return createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Plant store and integration security monitoring",
        version: "1.0.0",
        description: description(),
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: "/", description: "Where this document was read." }],
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
    // A schema is one component, whether it is read or written: outputs are not closed to fields added later.
    { outputIdSuffix: "", allowEmptySchema: { unknown: true } },
  );
};
