import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** How the store treats one attempt of a call. */
export type Attempt = (response: ServerResponse) => void;

const answer =
  (status: number, body: object): Attempt =>
  (response) =>
    void response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));

/** What can become of an attempt, as DynamoDB or what lies before it would have it. */
export const attempts = {
  succeed: (body: object = {}) => answer(200, body),
  refuse: (name: string, body: object = {}) =>
    answer(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "refused", ...body }),
  fail: () => answer(500, { __type: "com.amazonaws.dynamodb.v20120810#InternalServerError", message: "failed" }),
  throttle: () => answer(400, { __type: "com.amazonaws.dynamodb.v20120810#ThrottlingException", message: "slow" }),
  speakHtml: (): Attempt => (response) => void response.writeHead(502).end("<html>Bad Gateway</html>"),
  reset: (): Attempt => (response) => void response.socket?.resetAndDestroy(),
  hang: (): Attempt => () => undefined,
};

export type SentRequest = { headers: IncomingHttpHeaders; body: unknown };

/** A store that treats its attempts as the script says, the last line of it for ever, and keeps what it was sent. */
export const startScriptedStore = async (script: readonly Attempt[]) => {
  const requests: SentRequest[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse((await text(request)) || "null");
    requests.push({ headers: request.headers, body });
    (script[requests.length - 1] ?? script.at(-1))?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
