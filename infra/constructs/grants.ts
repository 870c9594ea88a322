/**
 * The rights of each function: by the name of its route, or by the file of a background function. A function without an
 * entry here or in access/ does not compile; the compiler's error names it.
 */
import type { BackgroundFunctionName } from "../../shared/api/background-functions.ts";
import type { PageRouteName } from "../../shared/api/page-routes.ts";
import type { RouteName } from "../../shared/api/routes.ts";
import type { Lacks } from "../../shared/terms/lacks.ts";
import { drillAccess } from "./access/drill-access.ts";
import { exportAccess } from "./access/export-access.ts";
import { judgingAccess } from "./access/judging-access.ts";
import { muteAccess } from "./access/mute-access.ts";
import { notificationAccess } from "./access/notification-access.ts";
import { accessParts, type Resources } from "./access/parts.ts";
import { providerAccess } from "./access/provider-access.ts";
import { securityAccess } from "./access/security-access.ts";
import { type Access, NO_ACCESS } from "./resources/access.ts";

/** All rights. The first ones are those that route-functions.ts adds to every route that needs them. */
export const accessTo = (resources: Resources) => {
  const parts = accessParts(resources);
  const { recordSecurityEvents, recordRefusals, readSettings, seal, takeIdempotencyKeys } = parts;
  const { plants, readCircuits, changeCircuits } = parts;
  return {
    recordSecurityEvents,
    recordRefusals,
    readSettings,
    seal,
    takeIdempotencyKeys,

    createPlant: plants.may("PutItem"),
    listPlants: plants.may("Query"),
    deletePlant: plants.may("DeleteItem"),
    ...securityAccess(parts),
    getCircuitBreaker: readCircuits,
    changeCircuitBreaker: changeCircuits,
    ...providerAccess(parts, resources),
    getSettings: NO_ACCESS,
    ...judgingAccess(parts),
    ...exportAccess(parts),
    ...notificationAccess(parts, resources),
    ...muteAccess(parts),
    ...drillAccess(parts),
    getOpenApiDocument: NO_ACCESS,
    getConsole: NO_ACCESS,
    getConsoleAsset: NO_ACCESS,
    getVerifier: NO_ACCESS,
    getDocs: NO_ACCESS,
    getDocsAsset: NO_ACCESS,
  } satisfies Record<string, Access>;
};

export type AccessTo = ReturnType<typeof accessTo>;

true satisfies Lacks<
  RouteName | PageRouteName | BackgroundFunctionName | "receive-webhook",
  keyof AccessTo,
  "to infra/constructs/grants.ts, or to a file of access/: its rights, or NO_ACCESS"
>;
