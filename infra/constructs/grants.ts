/**
 * The rights of each function. A route or background function without an entry here does not compile; the compiler's
 * error names it.
 */
import type { BackgroundFunctionName } from "../../shared/api/background-functions.ts";
import type { PageRouteName } from "../../shared/api/page-routes.ts";
import type { RouteName } from "../../shared/api/routes.ts";
import type { Lacks } from "../../shared/terms/lacks.ts";
import type { AccessTo } from "./access/access-to.ts";
import { type Access, NO_ACCESS, together, variables } from "./resources/access.ts";

/** Routes with a token also record refusals (route-functions.ts). */
export const routeAccess = (access: AccessTo, webhooks: Access["environment"]) =>
  ({
    createPlant: access.plants("PutItem"),
    listPlants: access.plants("Query"),
    deletePlant: access.plants("DeleteItem"),
    listSecurityEvents: access.readSecurityEvents,
    getSecurityEvent: access.readSecurityEvent,
    listSecurityAlerts: access.listSecurityAlerts,
    getSecurityAlert: access.readSecurityAlert,
    changeSecurityAlerts: access.changeSecurityAlerts,
    getCircuitBreaker: access.readCircuits,
    listCircuitHistory: access.listCircuitHistory,
    changeCircuitBreaker: access.changeCircuits,
    getConnection: together(access.showConnection, variables(webhooks)),
    connectProvider: together(access.connect, variables(webhooks)),
    changeWebhookSecrets: together(access.changeWebhookSecrets, variables(webhooks)),
    disconnectProvider: together(access.disconnect, variables(webhooks)),
    authorizeConnection: access.authorize,
    startSync: access.startSync,
    listSyncRuns: access.listSyncRuns,
    listWebhookDeliveries: access.listWebhookDeliveries,
    replayWebhookDelivery: access.replayWebhookDelivery,
    listRecords: access.listRecords,
    getSettings: NO_ACCESS,
    changeSettings: access.changeSettings,
    listDestinations: access.listDestinations,
    createDestination: access.createDestination,
    changeDestination: access.changeDestination,
    deleteDestination: access.deleteDestination,
    testDestination: access.testDestination,
    listDeliveries: access.listDeliveries,
    retryDelivery: access.retryDelivery,
    openEmailLink: access.openEmailLink,
    useEmailLink: access.useEmailLink,
    listReports: access.listReports,
    getReport: access.readReport,
    createReportLink: access.createReportLink,
    openReportLink: access.openReportLink,
    requestErasure: access.requestErasure,
    listErasures: access.listErasures,
    startEventExport: access.startExport,
    startOrganizationExport: access.startExport,
    listExports: access.listExports,
    getExport: access.readExport,
    getOpenApiDocument: NO_ACCESS,
    getCaller: access.knowDeployment,
    getConsole: NO_ACCESS,
    getConsoleAsset: NO_ACCESS,
    getDocs: NO_ACCESS,
    getDocsAsset: NO_ACCESS,
  }) satisfies Record<string, Access>;

true satisfies Lacks<
  RouteName | PageRouteName,
  keyof ReturnType<typeof routeAccess>,
  "to routeAccess in infra/constructs/grants.ts: its rights, or NO_ACCESS"
>;

export const backgroundAccess = (access: AccessTo) =>
  ({
    "dispatch-detection": access.dispatchDetection,
    "close-security-hours": access.closeSecurityHours,
    "write-siem-feed": access.writeFeed,
    "sweep-alert-outbox": access.sweepAlertOutbox,
    "resume-stalled-syncs": access.resumeSyncs,
    "hand-over-webhooks": access.handOverWebhooks,
    "dispatch-reports": access.dispatchReports,
    "resume-erasures": access.resumeErasures,
    "resume-exports": access.resumeExports,
    "dispatch-syncs": access.dispatchSyncs,
    "run-sync": access.runSyncs,
    "detect-organization": access.detect,
    "make-reports": access.makeReports,
    "run-erasure": access.erase,
    "run-export": access.runExports,
    "process-webhook": access.processWebhooks,
    "restore-security-events": access.restoreSecurityEvents,
    "dispatch-notifications": access.dispatchNotifications,
    "send-notifications": access.sendNotifications,
  }) satisfies Record<string, Access>;

true satisfies Lacks<
  BackgroundFunctionName,
  keyof ReturnType<typeof backgroundAccess>,
  "to backgroundAccess in infra/constructs/grants.ts: its rights, or NO_ACCESS"
>;
