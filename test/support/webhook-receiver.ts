import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "../../infra/local/http/listen.ts";

type Received = { path: string; headers: IncomingHttpHeaders; body: string };

/** A receiver of webhooks on a loopback port. `answer` may be replaced while it runs. @param port 0: any that is free */
export const startWebhookReceiver = async (port = 0) => {
  const received: Received[] = [];
  const receiver = {
    url: "",
    origin: "",
    port,
    received,
    answer: (response: ServerResponse, _received: Received): unknown => response.writeHead(204).end(),
    /** Waits until this many requests have arrived. */
    until: async (count: number): Promise<readonly Received[]> => {
      for (let i = 0; received.length < count; i++) {
        if (i === 600) throw new Error(`Only ${received.length} of ${count} notifications have arrived.`);
        await sleep(50);
      }
      return received;
    },
    stop: () => listening.close(),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    receiver.answer(response, one);
  });
  const listening = await listen(server, port);
  receiver.port = listening.port;
  receiver.origin = listening.url;
  receiver.url = `${receiver.origin}/hook?token=secret-token`;
  return receiver;
};
