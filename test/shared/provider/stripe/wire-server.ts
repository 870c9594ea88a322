import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { type Listening, listen } from "../../../../infra/local/http/listen.ts";

/** A received request, with its query or form decoded. */
export type Arrived = {
  method: string;
  path: string;
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
};

/** Answers one request; the status is 200 unless set. */
export type Script = (response: ServerResponse, arrived: Arrived) => void;

export type WireServer = {
  url: string;
  /** All received requests, in order. */
  arrived: Arrived[];
  /** The number of opened connections. */
  connections: () => number;
  /** Sets the answers of the next requests; the last script answers all further ones. */
  answers: (...scripts: Script[]) => void;
  stop: () => Promise<void>;
};

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** An error in the form of the provider. */
export const refusal = (status: number, error: object, headers: Record<string, string> = {}): Script =>
  json(status, { error }, headers);

export const list = (data: readonly unknown[], has_more = false): Script =>
  json(200, { object: "list", url: "/v1/objects", has_more, data });

/** Closes the connection without an answer. */
export const reset: Script = (response) => void response.socket?.resetAndDestroy();

/** Never answers. */
export const silence: Script = () => undefined;

/** A scripted server on loopback. Stop it in `afterAll`. */
export const startWireServer = async (): Promise<WireServer> => {
  const arrived: Arrived[] = [];
  let scripts: Script[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://provider.example");
    const one: Arrived = {
      method: request.method ?? "",
      path: pathname,
      parameters: Object.fromEntries(request.method === "POST" ? new URLSearchParams(body) : searchParams),
      headers: request.headers,
    };
    arrived.push(one);
    const script = scripts.length > 1 ? scripts.shift() : scripts[0];
    script?.(response, one);
  });
  server.on("connection", () => {
    connections++;
  });
  const { url, close }: Listening = await listen(server, 0);
  return {
    url,
    arrived,
    connections: () => connections,
    answers: (...next) => {
      scripts = next;
      arrived.length = 0;
    },
    stop: close,
  };
};
