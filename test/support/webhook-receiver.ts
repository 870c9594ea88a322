import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

type Received = { headers: IncomingHttpHeaders; body: string };

/** A receiver of webhooks on a loopback port. `answer` may be replaced while it runs. */
export const startWebhookReceiver = async () => {
  const received: Received[] = [];
  const receiver = {
    url: "",
    received,
    answer: (response: ServerResponse): unknown => response.writeHead(204).end(),
    /** Waits until so many requests have arrived. */
    until: async (count: number): Promise<readonly Received[]> => {
      for (let i = 0; received.length < count; i++) {
        if (i === 600) throw new Error(`Only ${received.length} of ${count} notifications have arrived.`);
        await sleep(50);
      }
      return received;
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    receiver.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=secret-token`;
  return receiver;
};
