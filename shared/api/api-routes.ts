/** The endpoints about the API itself. */
import * as z from "zod/mini";
import { defineRoute, type Route } from "../http/route.ts";

export const apiRoutes = {
  getOpenApiDocument: defineRoute({
    method: "GET",
    path: "/openapi.json",
    permission: "public",
    tag: "api",
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
} as const satisfies Record<string, Route>;
