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
 * @param load imports the view's module. Views of one folder or of one subject are in one module, because many small files compress badly
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
  view("/alerts", "Alerts", "Watch", "security:read", async () => ({
    View: (await import("./views/alerts/views.ts")).List,
  })),
  view("/alerts/raise", "Raise an alert", null, "security:manage", async () => ({
    View: (await import("./views/alerts/views.ts")).Raise,
  })),
  view("/alerts/:id", "Alert", null, "security:read", async () => ({
    View: (await import("./views/alerts/views.ts")).One,
  })),
  // One view, so that the list stays while an event is open.
  view("/events/:id?", "Events", "Watch", "security:read", () => import("./views/events/events.tsx")),
  // One view, so that the list is known when a rule is opened.
  view("/rules/:rule?", "Rules", "Watch", "security:read", async () => ({
    View: (await import("./views/tuning.ts")).Rules,
  })),
  view("/own-rules", "Own rules", "Watch", "security:read", async () => ({
    View: (await import("./views/tuning.ts")).OwnRulesList,
  })),
  view("/own-rules/new", "New rule", null, "security:manage", async () => ({
    View: (await import("./views/tuning.ts")).OwnRulesNew,
  })),
  view("/own-rules/:id", "Own rule", null, "security:read", async () => ({
    View: (await import("./views/tuning.ts")).OwnRulesOne,
  })),
  view("/mutes", "Mutes", "Watch", "security:read", async () => ({
    View: (await import("./views/tuning.ts")).MutesList,
  })),
  view("/mutes/new", "Mute alerts", null, "security:manage", async () => ({
    View: (await import("./views/tuning.ts")).MutesNew,
  })),
  view("/mutes/:id", "Mute", null, "security:read", async () => ({
    View: (await import("./views/tuning.ts")).MutesOne,
  })),
  view("/users/:id", "User", null, "security:read", async () => ({
    View: (await import("./views/callers/views.ts")).User,
  })),
  view("/addresses/:ip", "Address", null, "security:read", async () => ({
    View: (await import("./views/callers/views.ts")).Address,
  })),
  view("/syncs", "Syncs", "Integration", "status:read", async () => ({
    View: (await import("./views/integration.ts")).Syncs,
  })),
  view("/webhooks", "Webhooks", "Integration", "status:read", async () => ({
    View: (await import("./views/integration.ts")).Webhooks,
  })),
  view("/records/:type?", "Records", "Integration", "records:read", async () => ({
    View: (await import("./views/records/views.ts")).List,
  })),
  view("/records/:type/:id", "Record", null, "records:read", async () => ({
    View: (await import("./views/records/views.ts")).One,
  })),
  view("/customers/:id", "Customer", null, "records:read", async () => ({
    View: (await import("./views/records/views.ts")).Customer,
  })),
  view("/circuit-breaker", "Circuit breaker", "Integration", "status:read", async () => ({
    View: (await import("./views/integration.ts")).CircuitBreaker,
  })),
  view("/connection", "Connection", "Integration", "status:read", async () => ({
    View: (await import("./views/integration.ts")).Connection,
  })),
  view("/settings", "Settings", "Organization", "settings:manage", async () => ({
    View: (await import("./views/organization.ts")).Settings,
  })),
  view("/notifications", "Notifications", "Organization", "settings:manage", async () => ({
    View: (await import("./views/notifications/views.ts")).List,
  })),
  view("/notifications/new", "Add a destination", null, "settings:manage", async () => ({
    View: (await import("./views/notifications/views.ts")).New,
  })),
  view("/notifications/:id", "Destination", null, "settings:manage", async () => ({
    View: (await import("./views/notifications/views.ts")).One,
  })),
  view("/reports", "Reports", "Organization", "security:read", async () => ({
    View: (await import("./views/organization.ts")).Reports,
  })),
  view("/exports", "Exports", "Organization", "security:read", async () => ({
    View: (await import("./views/organization.ts")).ExportsList,
  })),
  view("/exports/:id", "Export", null, "security:read", async () => ({
    View: (await import("./views/organization.ts")).ExportsOne,
  })),
  view("/erasure", "Erasure", "Organization", "erasure:request", async () => ({
    View: (await import("./views/erasure/views.ts")).List,
  })),
  view("/erasure/:id", "Erasure", null, "erasure:request", async () => ({
    View: (await import("./views/erasure/views.ts")).Proof,
  })),
];

/** The view at an address that can be decoded, and may have a query; undefined if there is none. */
export const viewAt = (address: string): View | undefined => {
  const { pathname } = new URL(address, location.origin);
  return views.find(({ path }) => exec(pathname, path) !== undefined);
};
