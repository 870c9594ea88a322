/** The views by their address: menu, titles and permissions. Each view is loaded when it is first shown. */
import lazy from "preact-iso/lazy";
import type { Permission } from "./access.ts";

export type View = {
  path: string;
  title: string;
  /** The menu's group; a view without one is reached from another view. */
  group?: "Watch" | "Integration" | "Organization";
  /** Without this permission, the view explains what is missing. */
  needs: Permission;
  component: ReturnType<typeof lazy<() => preact.JSX.Element>>;
};

export const views: readonly View[] = [
  {
    path: "/console",
    title: "Overview",
    group: "Watch",
    needs: "status:read",
    component: lazy(() => import("./views/overview/overview.tsx").then(({ Overview }) => Overview)),
  },
];
