import { createFrontEnd, splitTarget, type WireRequest, type WireResponse } from "./front-end.ts";
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

/** Answers requests by routes that take and give JSON; an unknown route is 404, with the list of all. */
export const answerByRoutes = (routes: JsonRoutes): ((request: WireRequest) => Promise<WireResponse>) => {
  const route = createRouter(Object.entries(routes).map(([routeKey, work]) => ({ routeKey, work })));
  const answer = async (method: string, target: string, text: string): Promise<JsonAnswer> => {
    const { path: pathname, query } = splitTarget(target);
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
  return async ({ method, target, body }) => jsonResponse(await answer(method, target, body?.toString("utf8") ?? ""));
};

type ServerOptions = {
  answer: (request: WireRequest) => Promise<WireResponse>;
  onError: (error: unknown) => void;
  preferredPort?: number;
};

/** Starts a server of the local cloud's own on any free port, or on the one that is preferred if it is free. */
export const startServer = async ({ preferredPort = 0, ...options }: ServerOptions): Promise<Listening> => {
  const create = () => createFrontEnd({ maxBodyBytes: MAX_BODY_BYTES, maxHeaderBytes: 65_536, ...options });
  return listen(create(), preferredPort).catch((error) => {
    if (preferredPort === 0) throw error;
    return listen(create(), 0);
  });
};

/** Starts a server that takes and gives JSON only, on any free port. */
export const startJsonServer = ({
  routes,
  onError,
}: {
  routes: JsonRoutes;
  onError: (error: unknown) => void;
}): Promise<Listening> => startServer({ answer: answerByRoutes(routes), onError });

const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};

/** A JSON answer as it is sent. No cache keeps it. */
export const jsonResponse = ({ status, body }: JsonAnswer): WireResponse => ({
  statusCode: status,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: Buffer.from(`${JSON.stringify(body)}\n`),
});
