import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy in front of an engine. The first answer to each request is lost after the engine has executed it; a repeated
 * request gets its answer.
 */
export const startLossyProxy = async (endpoint: string) => {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    delete headers.host;
    delete headers["content-length"];
    const answer = await fetch(endpoint, { method: "POST", headers, body });
    const text = await answer.text();
    if (!seen.has(body.toString())) {
      seen.add(body.toString());
      return void request.socket.destroy();
    }
    response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => void server.close() };
};
