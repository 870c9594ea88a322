/** The views by their address: menu, titles and permissions. Each view is loaded when it is first shown. */
import type { Permission } from "./access.ts";
import { lazy } from "./lazy.tsx";

export type View = {
  /** May end with an optional part, such as `/:id?`. */
  path: string;
  title: string;
  /** The menu's group; a view without one is reached from another view. */
  group?: "Watch" | "Integration" | "Organization";
  /** Without this permission, the view explains what is missing. */
  needs: Permission;
  component: ReturnType<typeof lazy>;
};

export const views: readonly View[] = [
  {
    path: "/console",
    title: "Overview",
    group: "Watch",
    needs: "status:read",
    component: lazy(() => import("./views/overview/overview.tsx").then(({ Overview }) => Overview)),
  },
  {
    path: "/console/alerts",
    title: "Alerts",
    group: "Watch",
    needs: "security:read",
    component: lazy(() => import("./views/alerts/alerts.tsx").then(({ Alerts }) => Alerts)),
  },
  {
    path: "/console/alerts/raise",
    title: "Raise an alert",
    needs: "security:manage",
    component: lazy(() => import("./views/alerts/raise.tsx").then(({ Raise }) => Raise)),
  },
  {
    path: "/console/alerts/:id",
    title: "Alert",
    needs: "security:read",
    component: lazy(() => import("./views/alerts/alert.tsx").then(({ AlertView }) => AlertView)),
  },
  {
    // One view, so that the list stays while an event is open.
    path: "/console/events/:id?",
    title: "Events",
    group: "Watch",
    needs: "security:read",
    component: lazy(() => import("./views/events/events.tsx").then(({ Events }) => Events)),
  },
  {
    path: "/console/syncs",
    title: "Syncs",
    group: "Integration",
    needs: "status:read",
    component: lazy(() => import("./views/syncs/syncs.tsx").then(({ Syncs }) => Syncs)),
  },
  {
    path: "/console/webhooks",
    title: "Webhooks",
    group: "Integration",
    needs: "status:read",
    component: lazy(() => import("./views/webhooks/webhooks.tsx").then(({ Webhooks }) => Webhooks)),
  },
  {
    path: "/console/records/:type?",
    title: "Records",
    group: "Integration",
    needs: "records:read",
    component: lazy(() => import("./views/records/records.tsx").then(({ Records }) => Records)),
  },
  {
    path: "/console/records/:type/:id",
    title: "Record",
    needs: "records:read",
    component: lazy(() => import("./views/records/record.tsx").then(({ RecordView }) => RecordView)),
  },
  {
    path: "/console/customers/:id",
    title: "Customer",
    needs: "records:read",
    component: lazy(() => import("./views/records/customer.tsx").then(({ CustomerView }) => CustomerView)),
  },
  {
    path: "/console/circuit-breaker",
    title: "Circuit breaker",
    group: "Integration",
    needs: "status:read",
    component: lazy(() =>
      import("./views/circuit-breaker/circuit-breaker.tsx").then(({ CircuitBreaker }) => CircuitBreaker),
    ),
  },
  {
    path: "/console/connection",
    title: "Connection",
    group: "Integration",
    needs: "status:read",
    component: lazy(() => import("./views/connection/connection.tsx").then(({ ConnectionView }) => ConnectionView)),
  },
  {
    path: "/console/settings",
    title: "Settings",
    group: "Organization",
    needs: "settings:manage",
    component: lazy(() => import("./views/settings/settings.tsx").then(({ SettingsView }) => SettingsView)),
  },
  {
    path: "/console/notifications",
    title: "Notifications",
    group: "Organization",
    needs: "settings:manage",
    component: lazy(() => import("./views/notifications/notifications.tsx").then(({ Notifications }) => Notifications)),
  },
  {
    path: "/console/notifications/new",
    title: "Add a destination",
    needs: "settings:manage",
    component: lazy(() => import("./views/notifications/add.tsx").then(({ AddDestination }) => AddDestination)),
  },
  {
    path: "/console/notifications/:id",
    title: "Destination",
    needs: "settings:manage",
    component: lazy(() =>
      import("./views/notifications/destination.tsx").then(({ DestinationView }) => DestinationView),
    ),
  },
  {
    path: "/console/reports",
    title: "Reports",
    group: "Organization",
    needs: "security:read",
    component: lazy(() => import("./views/reports/reports.tsx").then(({ Reports }) => Reports)),
  },
  {
    path: "/console/exports",
    title: "Exports",
    group: "Organization",
    needs: "security:read",
    component: lazy(() => import("./views/exports/exports.tsx").then(({ Exports }) => Exports)),
  },
  {
    path: "/console/exports/:id",
    title: "Export",
    needs: "security:read",
    component: lazy(() => import("./views/exports/export.tsx").then(({ ExportView }) => ExportView)),
  },
  {
    path: "/console/erasure",
    title: "Erasure",
    group: "Organization",
    needs: "erasure:request",
    component: lazy(() => import("./views/erasure/erasure.tsx").then(({ ErasureView }) => ErasureView)),
  },
  {
    path: "/console/erasure/:id",
    title: "Erasure",
    needs: "erasure:request",
    component: lazy(() => import("./views/erasure/erasure-proof.tsx").then(({ ErasureProof }) => ErasureProof)),
  },
];
