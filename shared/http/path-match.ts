/** Which routes have a path, as the HTTP API matches it. */
import type { Route } from "./route.ts";

export type PathRoute = Pick<Route, "method" | "path">;

/** Whether a path matches a route's template: `{name}` is one segment that is not empty, a last `{name+}` one or more. */
export const isPathOf = ({ path }: PathRoute, rawPath: string): boolean => {
  const wanted = path.split("/");
  const given = rawPath.split("/");
  return (
    (path.endsWith("+}") ? wanted.length <= given.length : wanted.length === given.length) &&
    wanted.every((segment, i) => (segment.startsWith("{") ? given[i] !== "" : segment === given[i]))
  );
};

/** The routes of a path. If the path is a route's own, it is no parameter: `/things/link` is not one of `/things/{id}`. */
export const routesOf = <One extends PathRoute>(routes: readonly One[], rawPath: string): One[] => {
  const matching = routes.filter((route) => isPathOf(route, rawPath));
  const exact = matching.filter(({ path }) => path === rawPath);
  return exact.length > 0 ? exact : matching;
};
