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
 * @param load imports the view's module
 */
const view = (
  path: string,
  title: string,
  group: Group | null,
  needs: Permission,
  load: Parameters<typeof lazy>[0],
): View => ({ path: `/console${path}`, title, group, needs, component: lazy(load) });

/** One of the views of a module that has several. */
const one =
  <Name extends string>(load: () => Promise<Record<Name, () => preact.JSX.Element>>, name: Name) =>
  async () => ({ View: (await load())[name] });

// Views of one folder or of one subject are in one module, because many small files compress badly.
const alerts = () => import("./views/alerts/views.ts");
const tuning = () => import("./views/tuning.ts");
const integration = () => import("./views/integration.ts");
const organization = () => import("./views/organization.ts");
const notifications = () => import("./views/notifications/views.ts");

export const views: readonly View[] = [
  view("", "Overview", "Watch", "status:read", () => import("./views/overview/overview.tsx")),
  view("/alerts", "Alerts", "Watch", "security:read", one(alerts, "List")),
  view("/alerts/raise", "Raise an alert", null, "security:manage", one(alerts, "Raise")),
  view("/alerts/:id", "Alert", null, "security:read", one(alerts, "One")),
  // One view, so that the list stays while an event is open.
  view("/events/:id?", "Events", "Watch", "security:read", () => import("./views/events/events.tsx")),
  // One view, so that the list is known when a rule is opened.
  view("/rules/:rule?", "Rules", "Watch", "security:read", one(tuning, "Rules")),
  view("/own-rules", "Own rules", "Watch", "security:read", one(tuning, "OwnRulesList")),
  view("/own-rules/new", "New rule", null, "security:manage", one(tuning, "OwnRulesNew")),
  view("/own-rules/:id", "Own rule", null, "security:read", one(tuning, "OwnRulesOne")),
  view("/mutes", "Mutes", "Watch", "security:read", one(tuning, "MutesList")),
  view("/mutes/new", "Mute alerts", null, "security:manage", one(tuning, "MutesNew")),
  view("/mutes/:id", "Mute", null, "security:read", one(tuning, "MutesOne")),
  view("/users/:id", "User", null, "security:read", one(alerts, "User")),
  view("/addresses/:ip", "Address", null, "security:read", one(alerts, "Address")),
  view("/syncs", "Syncs", "Integration", "status:read", one(integration, "Syncs")),
  view("/webhooks", "Webhooks", "Integration", "status:read", one(integration, "Webhooks")),
  view("/records/:type?", "Records", "Integration", "records:read", one(integration, "RecordsList")),
  view("/records/:type/:id", "Record", null, "records:read", one(integration, "RecordsOne")),
  view("/customers/:id", "Customer", null, "records:read", one(integration, "RecordsCustomer")),
  view("/circuit-breaker", "Circuit breaker", "Integration", "status:read", one(integration, "CircuitBreaker")),
  view("/connection", "Connection", "Integration", "status:read", one(integration, "Connection")),
  view("/settings", "Settings", "Organization", "settings:manage", one(organization, "Settings")),
  view("/notifications", "Notifications", "Organization", "settings:manage", one(notifications, "List")),
  view("/notifications/new", "Add a destination", null, "settings:manage", one(notifications, "New")),
  view("/notifications/:id", "Destination", null, "settings:manage", one(notifications, "One")),
  view("/reports", "Reports", "Organization", "security:read", one(organization, "Reports")),
  view("/integrity", "Integrity", "Organization", "security:read", one(organization, "Integrity")),
  view("/exports", "Exports", "Organization", "security:read", one(organization, "ExportsList")),
  view("/exports/:id", "Export", null, "security:read", one(organization, "ExportsOne")),
  view("/erasure", "Erasure", "Organization", "erasure:request", one(organization, "ErasureList")),
  view("/erasure/:id", "Erasure", null, "erasure:request", one(organization, "ErasureProof")),
];

/** The view at an address that can be decoded, and may have a query; undefined if there is none. */
export const viewAt = (address: string): View | undefined => {
  const { pathname } = new URL(address, location.origin);
  return views.find(({ path }) => exec(pathname, path) !== undefined);
};
