/** What the function of each route may do, and no more. A route without a decision here does not compile. */
import type { RouteName } from "../../shared/api/routes.ts";
import { type Access, type AccessTo, NO_ACCESS, together } from "./access.ts";

/** Every route that takes a token also records its refusals (route-functions.ts). */
export const routeAccess = (access: AccessTo) =>
  ({
    createPlant: access.plants("PutItem"),
    listPlants: access.plants("Query"),
    deletePlant: access.plants("DeleteItem"),
    listSecurityEvents: access.readSecurityEvents,
    listSecurityAlerts: access.listSecurityAlerts,
    changeSecurityAlerts: together(access.markSecurityEvents, access.decideSecurityAlerts),
    getCircuitBreaker: access.readCircuits,
    changeCircuitBreaker: access.changeCircuits,
    getOpenApiDocument: NO_ACCESS,
  }) satisfies Record<RouteName, Access>;
