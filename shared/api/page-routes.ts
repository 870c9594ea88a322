/**
 * The pages for people. They are not part of the API's contract, so the OpenAPI document leaves them out. Every deployment
 * has the console (docs/deployment.md); it has /docs only with the context key `apiDocs` (docs/api.md).
 */
import type { Route } from "../http/route.ts";

export type PageRoute = Pick<Route, "method" | "path" | "summary"> & {
  /** Further paths of the same function. The last segment `{name+}` matches one or more segments. */
  morePaths?: readonly Route["path"][];
};

const consoleRoutes = {
  getConsole: {
    method: "GET",
    path: "/console",
    morePaths: ["/console/{view+}"],
    summary: "The console, where people see their integration and act",
  },
  getConsoleAsset: { method: "GET", path: "/console/assets/{file}", summary: "A script or style sheet of the console" },
  getVerifier: { method: "GET", path: "/verify.mjs", summary: "The program that checks an export with proof, offline" },
} as const satisfies Record<string, PageRoute>;

const docsRoutes = {
  getDocs: { method: "GET", path: "/docs", summary: "The OpenAPI document as a page where requests can be tried" },
  getDocsAsset: { method: "GET", path: "/docs/{file}", summary: "A script or style sheet of that page" },
} as const satisfies Record<string, PageRoute>;

export const pageRoutes = { ...consoleRoutes, ...docsRoutes };

export type PageRouteName = keyof typeof pageRoutes;

const listOf = (routes: Partial<Record<PageRouteName, PageRoute>>) =>
  Object.entries(routes) as [PageRouteName, PageRoute][];

/** The table as a list. */
export const allPageRoutes = listOf(pageRoutes);

/** The pages that a deployment has. */
export const pageRoutesOf = ({ apiDocs }: { apiDocs: boolean }) => (apiDocs ? allPageRoutes : listOf(consoleRoutes));

/** All paths of a route. */
export const pathsOf = ({ path, morePaths = [] }: Pick<PageRoute, "path" | "morePaths">): readonly Route["path"][] => [
  path,
  ...morePaths,
];
