/** What the function of each route may do, and no more. A route without a decision here does not compile. */
import type { RouteName } from "../../shared/api/routes.ts";
import type { AccessTo } from "./access/access-to.ts";
import { type Access, NO_ACCESS, together, variables } from "./resources/access.ts";

/** Every route that takes a token also records its refusals (route-functions.ts). */
export const routeAccess = (access: AccessTo, webhookUrl: string) =>
  ({
    createPlant: access.plants("PutItem"),
    listPlants: access.plants("Query"),
    deletePlant: access.plants("DeleteItem"),
    listSecurityEvents: access.readSecurityEvents,
    listSecurityAlerts: access.listSecurityAlerts,
    changeSecurityAlerts: access.changeSecurityAlerts,
    getCircuitBreaker: access.readCircuits,
    changeCircuitBreaker: access.changeCircuits,
    getConnection: together(access.showConnection, variables({ WEBHOOK_URL: webhookUrl })),
    connectProvider: together(access.connect, variables({ WEBHOOK_URL: webhookUrl })),
    disconnectProvider: access.disconnect,
    authorizeConnection: access.authorize,
    startSync: access.startSync,
    listSyncRuns: access.listSyncRuns,
    listRecords: access.listRecords,
    getSettings: NO_ACCESS,
    changeSettings: access.changeSettings,
    listReports: access.listReports,
    getReport: access.readReport,
    requestErasure: access.requestErasure,
    listErasures: access.listErasures,
    getOpenApiDocument: NO_ACCESS,
  }) satisfies Record<RouteName, Access>;
