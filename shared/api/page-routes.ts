/**
 * The pages for people. They are not part of the API's contract, so the OpenAPI document leaves them out. A deployment has
 * them only with the context key `apiDocs` (docs/api.md).
 */
import type { Route } from "../http/route.ts";

type PageRoute = Pick<Route, "method" | "path" | "summary">;

export const pageRoutes = {
  getDocs: { method: "GET", path: "/docs", summary: "The OpenAPI document as a page where requests can be tried" },
  getDocsAsset: { method: "GET", path: "/docs/{file}", summary: "A script or style sheet of that page" },
} as const satisfies Record<string, PageRoute>;

export type PageRouteName = keyof typeof pageRoutes;

/** The table as a list. */
export const allPageRoutes = Object.entries(pageRoutes) as [PageRouteName, PageRoute][];
