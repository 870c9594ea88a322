/** The responses of operations in the OpenAPI document: their headers, and the failures with an example each. */
import * as z from "zod/mini";
import type { ZodOpenApiOperationObject } from "zod-openapi";
import type { Route } from "../http/route.ts";
import { catalogueEntry, type ErrorName } from "../terms/error-catalogue.ts";
import { errorMeanings } from "../terms/error-meanings.ts";
import { needsOrganization, type Permission, roles, rolesWith } from "../terms/permissions.ts";

const ErrorBody = z
  .object({
    error: z.number().register(z.globalRegistry, {
      description: "A stable number: the HTTP status times 100 plus a running number.",
      override: { type: "integer", format: "int32" },
    }),
    message: z.string().register(z.globalRegistry, { description: "The wrong field and the reason." }),
  })
  .register(z.globalRegistry, { id: "Error", description: "The body of every failure." });

/** API Gateway's own answer to a throttled caller; the function is not invoked. */
const Throttled = z
  .object({ message: z.string() })
  .register(z.globalRegistry, { id: "GatewayError", description: "An answer by the gateway itself." });

const throttledExamples = { throttled: { value: { message: "Too Many Requests" } } };

/** The gateway does not add the headers of the service. */
export const throttledResponse = {
  description: "Too many requests. The gateway itself answers.",
  content: { "application/json": { schema: Throttled, examples: throttledExamples } },
};

const EXAMPLE_CURSOR = "o4GkQm1yLw0Bq9cVtZ7xN2eHs5uJp8fRaKd3XiWb6Ty";

/** The headers of the document, by component. A test compares every answer with them (test/support/contract.ts). */
export const headers = {
  RequestId: {
    description: "Identifies this request in the service's log and in its security event.",
    required: true,
    schema: { type: "string" },
    example: "9f1c2d7e-5b0a-4c3d-8e6f-1a2b3c4d5e6f",
  },
  RetryAfter: {
    description: "Seconds until the client may retry.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 2,
  },
  RetryAfterOfService: {
    description: "Seconds until the client may retry; absent if the gateway itself answers.",
    schema: { type: "integer", minimum: 1 },
    example: 42,
  },
  RequestIdOfService: {
    description: "Identifies this request in the service's log; absent if the gateway itself answers.",
    schema: { type: "string" },
    example: "9f1c2d7e-5b0a-4c3d-8e6f-1a2b3c4d5e6f",
  },
  RetryAfterUnlessHeld: {
    description: "Seconds until the client may retry; absent while an operator holds the circuit open.",
    schema: { type: "integer", minimum: 1 },
    example: 30,
  },
  Challenge: { description: "RFC 6750. The gateway may rename this header.", schema: { type: "string" } },
  Vary: { description: "Accept: the format of the answer depends on this header.", schema: { type: "string" } },
  NextPage: {
    description: 'RFC 8288: the address of the next page, with rel="next"; absent on the last page.',
    schema: { type: "string" },
    example: `</plants?limit=2&cursor=${EXAMPLE_CURSOR}>; rel="next"`,
  },
  NextCursor: {
    description: "The `cursor` of the next page; absent on the last page, like `Link`.",
    schema: { type: "string" },
    example: EXAMPLE_CURSOR,
  },
} as const;

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

/** Every response of the service has it. */
export const REQUEST_ID = { "x-request-id": header("RequestId") };

/** The headers of a route's success. */
export const successHeaders = ({ paging, success }: Route) => ({
  ...REQUEST_ID,
  ...(paging && { link: header("NextPage"), "x-next-cursor": header("NextCursor") }),
  ...(success.html && success.body && { vary: header("Vary") }),
});

const failureHeaders = (status: number, names: readonly ErrorName[]) => ({
  ...REQUEST_ID,
  ...(status === 401 && { "www-authenticate": header("Challenge") }),
  ...(status === 503 && {
    "retry-after": header(names.includes("circuit_open") ? "RetryAfterUnlessHeld" : "RetryAfter"),
  }),
});

/** Whether all roles have a permission. Not for records: a role may lack permission to read some record types. */
const isForAllRoles = (permission: Permission | "link"): boolean =>
  permission === "link" || (permission !== "records:read" && rolesWith(permission).length === roles.length);

/** The failures that a request to the route can cause in the service. The gateway has further ones. */
export const failuresOf = (route: Route): ErrorName[] => {
  const { permission, request, paging, isIdempotent, ignoresUnknownParameters, failures } = route;
  const takesInput = request.body ?? request.params ?? request.query ?? paging ?? isIdempotent;
  const authentication: ErrorName[] = ["no_bearer_token", "invalid_token", "expired_token"];
  const isPublic = permission === "public";
  const isLink = permission === "link";
  return [
    ...(isPublic || isLink ? [] : authentication),
    ...(isPublic || isForAllRoles(permission) ? [] : (["role_may_not"] as const)),
    ...(isPublic || !needsOrganization(permission)
      ? []
      : ([...(isLink ? [] : (["organization_required"] as const)), "ip_address_not_allowed"] as const)),
    ...(request.body ? (["body_too_large", "unsupported_media_type", "invalid_json"] as const) : []),
    // Even a route without input refuses an unknown parameter.
    ...(takesInput || !ignoresUnknownParameters ? (["invalid_field"] as const) : []),
    ...(paging ? (["invalid_cursor"] as const) : []),
    ...failures,
    "internal",
    ...(isPublic ? [] : (["store_unavailable"] as const)),
    ...(isPublic || isLink ? [] : (["key_set_unavailable"] as const)),
  ];
};

const examplesOfFailures = (names: readonly ErrorName[]) =>
  Object.fromEntries(
    names.map((name) => [name, { value: { error: catalogueEntry(name).number, message: errorMeanings[name] } }]),
  );

/** The answers with status 429 of an operation with a limit of its own: the service's and the gateway's. */
const limitResponse = (names: readonly ErrorName[]) => ({
  description: [...names.map((name) => errorMeanings[name]), throttledResponse.description].join(" "),
  headers: { "x-request-id": header("RequestIdOfService"), "retry-after": header("RetryAfterOfService") },
  content: {
    "application/json": {
      schema: z.union([ErrorBody, Throttled]),
      examples: { ...examplesOfFailures(names), ...throttledExamples },
    },
  },
});

/** One response per status, with an example for each failure of that status. */
export const failureResponses = (names: readonly ErrorName[]): ZodOpenApiOperationObject["responses"] => {
  const byStatus = Map.groupBy(names, (name) => catalogueEntry(name).status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      status === 429
        ? limitResponse(group)
        : {
            description: group.map((name) => errorMeanings[name]).join(" "),
            headers: failureHeaders(status, group),
            content: { "application/json": { schema: ErrorBody, examples: examplesOfFailures(group) } },
          },
    ]),
  );
};
