/** The endpoints about the API itself and about the caller's access to it. */
import * as z from "zod/mini";
import { defineRoutes } from "../http/route.ts";
import { CallerAccess } from "../settings/caller-access.ts";

export const apiRoutes = defineRoutes("api", {
  getOpenApiDocument: {
    method: "GET",
    path: "/openapi.json",
    permission: "public",
    ignoresUnknownParameters: true,
    summary: "Read this document",
    description: "The OpenAPI 3.1 document of the whole API, made from the schemas that validate its requests.",
    success: {
      status: 200,
      description: "An OpenAPI 3.1 document.",
      body: z.record(z.string(), z.unknown()),
    },
  },
  getCaller: {
    method: "GET",
    path: "/api/integrations/provider/me",
    permission: "self:read",
    summary: "Read the caller's identity and permissions",
    description:
      "Returns what the service reads in the token: user, organization and role, and the permissions of that role; the address that the request came from; and settings of the deployment. Any valid token with an organization may call it.",
    success: { status: 200, description: "The caller.", body: CallerAccess },
  },
});
