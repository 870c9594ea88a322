type Segment = { kind: "literal" | "parameter" | "greedy"; text: string };
type Compiled<Route> = { route: Route; method: string; segments: readonly Segment[] };

/** The route that serves a request, with its path parameters. */
export type RouteMatch<Route> = { route: Route; pathParameters: Record<string, string> };

const ORDER = { literal: 0, parameter: 1, greedy: 2 } as const;

const segmentOf = (text: string): Segment => {
  const [, name, plus] = /^\{([^}+]+)(\+?)\}$/.exec(text) ?? [];
  if (name === undefined) return { kind: "literal", text };
  return { kind: plus ? "greedy" : "parameter", text: name };
};

const compile = <Route extends { routeKey: string }>(route: Route): Compiled<Route> => {
  const [method = "", path = ""] = route.routeKey.split(" ");
  return { route, method, segments: path.split("/").slice(1).map(segmentOf) };
};

const bySpecificity = (a: Compiled<unknown>, b: Compiled<unknown>): number => {
  for (const [index, segment] of a.segments.entries()) {
    const other = b.segments[index];
    if (!other) break;
    const difference = ORDER[segment.kind] - ORDER[other.kind];
    if (difference !== 0) return difference;
  }
  return b.segments.length - a.segments.length || Number(a.method === "ANY") - Number(b.method === "ANY");
};

const matchPath = (segments: readonly Segment[], parts: readonly string[]): Record<string, string> | undefined => {
  const parameters: Record<string, string> = {};
  for (const [index, { kind, text }] of segments.entries()) {
    const part = parts[index];
    if (part === undefined) return undefined;
    if (kind === "literal" && part !== text) return undefined;
    if (kind !== "literal" && part === "") return undefined;
    if (kind === "parameter") parameters[text] = part;
    if (kind === "greedy") {
      parameters[text] = parts.slice(index).join("/");
      return parameters;
    }
  }
  return parts.length === segments.length ? parameters : undefined;
};

/**
 * Selects as an HTTP API does: exact over `{parameter}` over greedy `{proxy+}`, a method over ANY, `$default` last.
 * Takes the decoded path. Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export const createRouter = <Route extends { routeKey: string }>(routes: readonly Route[]) => {
  const fallback = routes.find(({ routeKey }) => routeKey === "$default");
  const compiled = routes
    .filter((route) => route !== fallback)
    .map(compile)
    .sort(bySpecificity);
  return (method: string, path: string): RouteMatch<Route> | undefined => {
    const parts = path.split("/").slice(1);
    for (const { route, method: wanted, segments } of compiled) {
      if (wanted !== method && wanted !== "ANY") continue;
      const pathParameters = matchPath(segments, parts);
      if (pathParameters) return { route, pathParameters };
    }
    return fallback && { route: fallback, pathParameters: {} };
  };
};
