/** The endpoints about the API itself and about the caller's access to it. */
import * as z from "zod/mini";
import { defineRoute, type Route } from "../http/route.ts";
import { CallerAccess } from "../settings/caller-access.ts";

export const apiRoutes = {
  getOpenApiDocument: defineRoute({
    method: "GET",
    path: "/openapi.json",
    permission: "public",
    tag: "api",
    ignoresUnknownParameters: true,
    summary: "Read this document",
    description: "The OpenAPI 3.1 document of the whole API, made from the schemas that validate its requests.",
    request: {},
    success: {
      status: 200,
      description: "An OpenAPI 3.1 document.",
      body: z.record(z.string(), z.unknown()),
    },
    failures: [],
  }),
  getCaller: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/me",
    permission: "self:read",
    tag: "api",
    summary: "Read the caller's identity and permissions",
    description:
      "Returns what the service reads in the token: user, organization and role, and the permissions of that role; the address that the request came from; and settings of the deployment. Any valid token with an organization may call it.",
    request: {},
    success: { status: 200, description: "The caller.", body: CallerAccess },
    failures: [],
  }),
} as const satisfies Record<string, Route>;
