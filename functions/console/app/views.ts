/** The views by their address: menu, titles and permissions. Each view is loaded when it is first shown. */
import { exec } from "preact-iso/router";
import type { Permission } from "./access.ts";
import { lazy } from "./lazy.tsx";

export const groups = ["Watch", "Integration", "Organization"] as const;
type Group = (typeof groups)[number];

export type View = {
  path: string;
  title: string;
  group: Group | null;
  needs: Permission;
  component: ReturnType<typeof lazy>;
};

/**
 * @param path below /console; may end with an optional part, such as `/:id?`
 * @param group of the menu; null for a view that is reached from another view
 * @param needs without this permission, the view explains what is missing
 * @param load imports the view's module, which exports the component `View`
 */
const view = (
  path: string,
  title: string,
  group: Group | null,
  needs: Permission,
  load: Parameters<typeof lazy>[0],
): View => ({ path: `/console${path}`, title, group, needs, component: lazy(load) });

export const views: readonly View[] = [
  view("", "Overview", "Watch", "status:read", () => import("./views/overview/overview.tsx")),
  view("/alerts", "Alerts", "Watch", "security:read", () => import("./views/alerts/alerts.tsx")),
  view("/alerts/raise", "Raise an alert", null, "security:manage", () => import("./views/alerts/raise.tsx")),
  view("/alerts/:id", "Alert", null, "security:read", () => import("./views/alerts/alert.tsx")),
  // One view, so that the list stays while an event is open.
  view("/events/:id?", "Events", "Watch", "security:read", () => import("./views/events/events.tsx")),
  // One view, so that the list is known when a rule is opened.
  view("/rules/:rule?", "Rules", "Watch", "security:read", () => import("./views/rules/rules.tsx")),
  view("/own-rules", "Own rules", "Watch", "security:read", () => import("./views/own-rules/own-rules.tsx")),
  view("/own-rules/new", "New rule", null, "security:manage", () => import("./views/own-rules/new-own-rule.tsx")),
  view("/own-rules/:id", "Own rule", null, "security:read", () => import("./views/own-rules/own-rule.tsx")),
  view("/mutes", "Mutes", "Watch", "security:read", () => import("./views/mutes/mutes.tsx")),
  view("/mutes/new", "Mute alerts", null, "security:manage", () => import("./views/mutes/new-mute.tsx")),
  view("/mutes/:id", "Mute", null, "security:read", () => import("./views/mutes/mute.tsx")),
  view("/users/:id", "User", null, "security:read", () => import("./views/callers/user.tsx")),
  view("/addresses/:ip", "Address", null, "security:read", () => import("./views/callers/address.tsx")),
  view("/syncs", "Syncs", "Integration", "status:read", () => import("./views/syncs/syncs.tsx")),
  view("/webhooks", "Webhooks", "Integration", "status:read", () => import("./views/webhooks/webhooks.tsx")),
  view("/records/:type?", "Records", "Integration", "records:read", () => import("./views/records/records.tsx")),
  view("/records/:type/:id", "Record", null, "records:read", () => import("./views/records/record.tsx")),
  view("/customers/:id", "Customer", null, "records:read", () => import("./views/records/customer.tsx")),
  view(
    "/circuit-breaker",
    "Circuit breaker",
    "Integration",
    "status:read",
    () => import("./views/circuit-breaker/circuit-breaker.tsx"),
  ),
  view("/connection", "Connection", "Integration", "status:read", () => import("./views/connection/connection.tsx")),
  view("/settings", "Settings", "Organization", "settings:manage", () => import("./views/settings/settings.tsx")),
  view(
    "/notifications",
    "Notifications",
    "Organization",
    "settings:manage",
    () => import("./views/notifications/notifications.tsx"),
  ),
  view(
    "/notifications/new",
    "Add a destination",
    null,
    "settings:manage",
    () => import("./views/notifications/add.tsx"),
  ),
  view(
    "/notifications/:id",
    "Destination",
    null,
    "settings:manage",
    () => import("./views/notifications/destination.tsx"),
  ),
  view("/reports", "Reports", "Organization", "security:read", () => import("./views/reports/reports.tsx")),
  view("/exports", "Exports", "Organization", "security:read", () => import("./views/exports/exports.tsx")),
  view("/exports/:id", "Export", null, "security:read", () => import("./views/exports/export.tsx")),
  view("/erasure", "Erasure", "Organization", "erasure:request", () => import("./views/erasure/erasure.tsx")),
  view("/erasure/:id", "Erasure", null, "erasure:request", () => import("./views/erasure/erasure-proof.tsx")),
];

/** The view at an address that can be decoded, and may have a query; undefined if there is none. */
export const viewAt = (address: string): View | undefined => {
  const { pathname } = new URL(address, location.origin);
  return views.find(({ path }) => exec(pathname, path) !== undefined);
};
