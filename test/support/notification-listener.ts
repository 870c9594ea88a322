/** A receiver of webhooks on this machine, as an administrator would point a destination at it. */
import { createServer } from "node:http";
import { listen } from "../../infra/local/http/listen.ts";

export type Received = { body: string; headers: Record<string, string> };

/** @returns its URL, what it received so far, and how to have it answer another status than 200. */
export const startListener = async () => {
  const received: Received[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      received.push({ body, headers: request.headers as Record<string, string> });
      response.writeHead(status).end(status === 200 ? "thank you" : "not now");
    });
  });
  const { url, close } = await listen(server, 0);
  return {
    url: `${url}/alerts`,
    received,
    answer: (next: number) => {
      status = next;
    },
    stop: () => close(),
  };
};
