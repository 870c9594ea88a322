/**
 * The route table: every endpoint of the API, once. The name is also the function's name and its operationId.
 * The table is divided by subject, because a function loads only the routes of its subject.
 */

import { isPathOf } from "../http/path-match.ts";
import type { Route } from "../http/route.ts";
import { apiRoutes } from "./api-routes.ts";
import { circuitBreakerRoutes } from "./circuit-breaker-routes.ts";
import { connectionRoutes } from "./connection-routes.ts";
import { detectionRoutes } from "./detection-routes.ts";
import { erasureRoutes } from "./erasure-routes.ts";
import { evidenceRoutes } from "./evidence-routes.ts";
import { exportRoutes } from "./export-routes.ts";
import { muteRoutes } from "./mute-routes.ts";
import { notificationRoutes } from "./notification-routes.ts";
import { plantRoutes } from "./plant-routes.ts";
import { recordRoutes } from "./record-routes.ts";
import { reportRoutes } from "./report-routes.ts";
import { searchRoutes } from "./search-routes.ts";
import { securityRoutes } from "./security-routes.ts";
import { settingsRoutes } from "./settings-routes.ts";
import { syncRoutes } from "./sync-routes.ts";
import { webhookRoutes } from "./webhook-routes.ts";

export const routes = {
  ...plantRoutes,
  ...securityRoutes,
  ...evidenceRoutes,
  ...circuitBreakerRoutes,
  ...connectionRoutes,
  ...syncRoutes,
  ...webhookRoutes,
  ...recordRoutes,
  ...settingsRoutes,
  ...notificationRoutes,
  ...detectionRoutes,
  ...muteRoutes,
  ...reportRoutes,
  ...erasureRoutes,
  ...exportRoutes,
  ...searchRoutes,
  ...apiRoutes,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** The table as a list. */
export const allRoutes = Object.entries(routes) as [RouteName, Route][];

/**
 * What a gateway would take for the id of another route: `PUT …/notifications/link` would reach `PUT …/notifications/{id}`.
 * The function of unknown routes gets these requests, and answers 405.
 */
export const refusedRoutes = [...new Set(allRoutes.map(([, { path }]) => path))].flatMap((path) => {
  const served = allRoutes.filter(([, route]) => route.path === path).map(([, { method }]) => method);
  const taken = allRoutes.filter(([, route]) => isPathOf(route, path)).map(([, { method }]) => method);
  return [...new Set(taken)].filter((method) => !served.includes(method)).map((method) => ({ method, path }));
});
