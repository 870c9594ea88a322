/**
 * The `$default` route: what no other route took. A known path with another method is 405 with Allow, anything else
 * 404, with or without a token; the HTTP API's own answer would have another shape (docs/decisions.md, "Errors").
 */
import { pageRoutesOf, pathsOf } from "../../shared/api/page-routes.ts";
import { allRoutes } from "../../shared/api/routes.ts";
import { createUnknownRouteHandler } from "../../shared/http/unknown-route.ts";
import { readConfig } from "../../shared/runtime/config.ts";

const { ANSWERS_PREFLIGHTS, API_DOCS } = readConfig(["ANSWERS_PREFLIGHTS", "API_DOCS"]);

const routes = [...allRoutes, ...pageRoutesOf({ apiDocs: API_DOCS !== undefined })];

export const handler = createUnknownRouteHandler(
  routes.flatMap(([, route]) => pathsOf(route).map((path) => ({ method: route.method, path }))),
  { answersPreflights: ANSWERS_PREFLIGHTS !== undefined },
);
