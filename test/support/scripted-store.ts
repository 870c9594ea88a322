import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "../../infra/local/http/listen.ts";

/** How the store answers one attempt of a call. */
export type Attempt = (response: ServerResponse) => void;

const answer =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Attempt =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers })
      .end(JSON.stringify(body));

/** Possible answers to an attempt, from DynamoDB or a proxy in front of it. */
export const attempts = {
  succeed: (body: object = {}, headers?: Readonly<Record<string, string>>) => answer(200, body, headers),
  refuse: (name: string, body: object = {}) =>
    answer(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "refused", ...body }),
  fail: () => answer(500, { __type: "com.amazonaws.dynamodb.v20120810#InternalServerError", message: "failed" }),
  throttle: () => answer(400, { __type: "com.amazonaws.dynamodb.v20120810#ThrottlingException", message: "slow" }),
  speakHtml: (): Attempt => (response) => void response.writeHead(502).end("<html>Bad Gateway</html>"),
  reset: (): Attempt => (response) => void response.socket?.resetAndDestroy(),
  hang: (): Attempt => () => undefined,
};

export type SentRequest = { path: string | undefined; headers: IncomingHttpHeaders; body: unknown };

/** A store that answers attempts by the script, then repeats its last line. Keeps all received requests. */
export const startScriptedStore = async (script: readonly Attempt[]) => {
  const requests: SentRequest[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse((await text(request)) || "null");
    requests.push({ path: request.url, headers: request.headers, body });
    (script[requests.length - 1] ?? script.at(-1))?.(response);
  });
  const { url, close } = await listen(server, 0);
  return { endpoint: url, requests, stop: () => close() };
};
