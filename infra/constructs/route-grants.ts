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
    getConnection: access.showConnection,
    connectProvider: access.connect,
    disconnectProvider: access.disconnect,
    authorizeConnection: access.authorize,
    startSync: access.startSync,
    listSyncRuns: access.listSyncRuns,
    listRecords: access.listRecords,
    getSettings: NO_ACCESS,
    changeSettings: access.changeSettings,
    getOpenApiDocument: NO_ACCESS,
  }) satisfies Record<RouteName, Access>;
