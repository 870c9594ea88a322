import { createFrontEnd, type WireResponse } from "./front-end.ts";
import { type Listening, listen } from "./listen.ts";
import { createRouter } from "./router.ts";

/** The request of a route of the local cloud's own servers: decoded path parameters, parsed body (`undefined` without one). */
export type JsonRequest = { parameters: Record<string, string>; query: URLSearchParams; body: unknown };
export type JsonAnswer = { status: number; body: unknown };
/** By `METHOD /path/{parameter}`. */
export type JsonRoutes = Record<string, (request: JsonRequest) => JsonAnswer | Promise<JsonAnswer>>;

const MAX_BODY_BYTES = 1_048_576;

/** An error that the client receives as JSON `{"message"}`. */
export const refuse = (status: number, message: string): JsonAnswer => ({ status, body: { message } });

/** Starts a server of the local cloud's own (control, issuer) on any free port, or on the one that is preferred. */
export const startJsonServer = async (options: {
  routes: JsonRoutes;
  onError: (error: unknown) => void;
  preferredPort?: number;
}): Promise<Listening> => {
  const { routes, onError, preferredPort = 0 } = options;
  const route = createRouter(Object.entries(routes).map(([routeKey, work]) => ({ routeKey, work })));
  const answer = async (method: string, target: string, text: string): Promise<JsonAnswer> => {
    const [pathname = "/", query = ""] = target.split("?", 2);
    const path = decode(pathname);
    const match = path === undefined ? undefined : route(method === "HEAD" ? "GET" : method, path);
    if (!match)
      return refuse(404, `nothing answers ${method} ${pathname}; there are: ${Object.keys(routes).join(", ")}`);
    let body: unknown;
    try {
      body = text.trim() === "" ? undefined : JSON.parse(text);
    } catch {
      return refuse(400, "the body is not valid JSON");
    }
    return match.route.work({ parameters: match.pathParameters, query: new URLSearchParams(query), body });
  };
  const create = () =>
    createFrontEnd({
      maxBodyBytes: MAX_BODY_BYTES,
      maxHeaderBytes: 65_536,
      onError,
      answer: async ({ method, target, body }) => wire(await answer(method, target, body?.toString("utf8") ?? "")),
    });
  return listen(create(), preferredPort).catch((error) => {
    if (preferredPort === 0) throw error;
    return listen(create(), 0);
  });
};

const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};

const wire = ({ status, body }: JsonAnswer): WireResponse => ({
  statusCode: status,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: Buffer.from(`${JSON.stringify(body)}\n`),
});
