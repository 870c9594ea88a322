/**
 * The `$default` route: what no other route took. A known path with another method is 405 with Allow, anything else
 * 404, with or without a token; the HTTP API's own answer would have another shape (docs/decisions.md, "Errors").
 */
import { allPageRoutes } from "../../shared/api/page-routes.ts";
import { allRoutes } from "../../shared/api/routes.ts";
import { createUnknownRouteHandler } from "../../shared/http/unknown-route.ts";
import { readConfig } from "../../shared/runtime/config.ts";

const { ANSWERS_PREFLIGHTS, API_DOCS } = readConfig(["ANSWERS_PREFLIGHTS", "API_DOCS"]);

export const handler = createUnknownRouteHandler(
  [...allRoutes, ...(API_DOCS === undefined ? [] : allPageRoutes)].map(([, route]) => route),
  { answersPreflights: ANSWERS_PREFLIGHTS !== undefined },
);
