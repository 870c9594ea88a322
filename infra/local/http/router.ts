/** The route that serves a request, with its path parameters. */
export type RouteMatch<Route> = { route: Route; pathParameters: Record<string, string> };

const parameterOf = (segment: string): string | undefined => /^\{(.+)\}$/.exec(segment)?.[1];

/** The name of a greedy parameter `{name+}`, which takes one segment or more at the end of a path. */
const greedyOf = (segment: string | undefined): string | undefined => /^\{(.+)\+\}$/.exec(segment ?? "")?.[1];

const match = (segments: readonly string[], parts: readonly string[]): Record<string, string> | undefined => {
  const greedy = greedyOf(segments.at(-1));
  if (greedy !== undefined) {
    const count = segments.length - 1;
    const parameters = match(segments.slice(0, -1), parts.slice(0, count));
    const rest = parts.slice(count).join("/");
    return parameters === undefined || rest === "" ? undefined : { ...parameters, [greedy]: rest };
  }
  if (segments.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? "";
    const name = parameterOf(segment);
    if (name === undefined ? part !== segment : part === "") return undefined;
    if (name !== undefined) parameters[name] = part;
  }
  return parameters;
};

/** The order of routes that match the same path: greedy ones last, else the route with the earlier literal comes first. */
const bySpecificity = (a: readonly string[], b: readonly string[]): number => {
  const greedyLast = Number(greedyOf(a.at(-1)) !== undefined) - Number(greedyOf(b.at(-1)) !== undefined);
  if (greedyLast !== 0) return greedyLast;
  for (const [index, segment] of a.entries()) {
    const difference = Number(parameterOf(segment) !== undefined) - Number(parameterOf(b[index] ?? "") !== undefined);
    if (difference !== 0) return difference;
  }
  return 0;
};

/**
 * Selects a route as an HTTP API does: a literal before a `{parameter}`, then routes with a
 * greedy `{parameter+}`, `$default` last. Takes the decoded path.
 * Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export const createRouter = <Route extends { routeKey: string }>(routes: readonly Route[]) => {
  const fallback = routes.find(({ routeKey }) => routeKey === "$default");
  const compiled = routes
    .filter((route) => route !== fallback)
    .map((route) => {
      const [method = "", path = ""] = route.routeKey.split(" ");
      return { route, method, segments: path.split("/").slice(1) };
    });
  return (method: string, path: string): RouteMatch<Route> | undefined => {
    const parts = path.split("/").slice(1);
    // Only routes of the same path have an order: two others may each come before a third one, in a circle.
    const [first] = compiled
      .flatMap(({ route, segments, ...one }) => {
        const pathParameters = one.method === method ? match(segments, parts) : undefined;
        return pathParameters === undefined ? [] : [{ route, segments, pathParameters }];
      })
      .sort((a, b) => bySpecificity(a.segments, b.segments));
    if (first !== undefined) return { route: first.route, pathParameters: first.pathParameters };
    return fallback && { route: fallback, pathParameters: {} };
  };
};
