/** The route table: every endpoint of the API, once. The name is also the function's name and its operationId. */
import * as z from "zod/mini";
import { Int64, Int64Parameter } from "../json/int64.ts";
import { LIST_MAX_LIMIT, NewPlant, Plant } from "../plants/plant.ts";
import { SecurityQuery } from "../security/security-query.ts";
import { SecurityReport } from "../security/security-report.ts";
import { defineRoute, type Route } from "./route.ts";

export const routes = {
  createPlant: defineRoute({
    method: "POST",
    path: "/plants",
    permission: "plants:write",
    tag: "plants",
    summary: "Create a plant",
    description:
      "Creates a plant in the caller's scope. An id that exists there is a conflict; nothing is overwritten.",
    request: { body: NewPlant },
    success: { status: 200, description: "The plant that was created.", body: Plant },
    failures: ["plant_exists"],
  }),
  listPlants: defineRoute({
    method: "GET",
    path: "/plants",
    permission: "plants:read",
    tag: "plants",
    summary: "List plants",
    description: "Returns the plants of the caller's scope in ascending order of id.",
    request: {},
    paging: { defaultLimit: LIST_MAX_LIMIT, maxLimit: LIST_MAX_LIMIT, position: z.object({ id: Int64 }) },
    success: { status: 200, description: "A page of plants.", body: z.array(Plant) },
    failures: [],
  }),
  deletePlant: defineRoute({
    method: "DELETE",
    path: "/plants/{id}",
    permission: "plants:write",
    tag: "plants",
    summary: "Delete a plant",
    description: "Deletes one plant of the caller's scope.",
    request: { params: z.object({ id: Int64Parameter }) },
    success: { status: 204, description: "The plant is gone." },
    failures: ["plant_not_found"],
  }),
  listSecurityEvents: defineRoute({
    method: "GET",
    path: "/api/integrations/provider/security",
    permission: "security:read",
    tag: "security",
    summary: "Read security events and monitoring data",
    description:
      "Returns the organization's security events, newest first, from `since` on (24 hours ago by default), with statistics of the whole selection. Filters combine. With `userId` or `processed` the selection may be too large to be counted; then a later `since` is asked for.",
    request: { query: SecurityQuery },
    paging: { defaultLimit: 50, maxLimit: 1000, position: z.object({ id: z.string() }), field: "events" },
    success: { status: 200, description: "A page of events with what belongs to it.", body: SecurityReport },
    failures: [],
  }),
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

export type RouteName = keyof typeof routes;

/** The table as a list, for those who treat all routes alike. */
export const allRoutes = Object.entries(routes) as [RouteName, Route][];
