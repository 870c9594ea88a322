/**
 * The `$default` route: what no other route took. A known path with another method is 405 with Allow, anything else
 * 404, with or without a token; the HTTP API's own answer would have another shape (docs/decisions.md, "Errors").
 */
import { allRoutes } from "../../shared/api/routes.ts";
import { createUnknownRouteHandler } from "../../shared/http/unknown-route.ts";
import { readConfig } from "../../shared/runtime/config.ts";

export const handler = createUnknownRouteHandler(
  allRoutes.map(([, route]) => route),
  { answersPreflights: readConfig(["ANSWERS_PREFLIGHTS"]).ANSWERS_PREFLIGHTS !== undefined },
);
