import { createServer } from "node:http";
import { type Listening, listen } from "./listen.ts";

/** A port that is taken until `release`, which may be called twice. */
export type HeldPort = Pick<Listening, "url" | "port"> & { release(): Promise<void> };

/**
 * Takes a port for a server to come, where its URL must be known before it starts. Who asks it meanwhile is told 503.
 * @param port 0 for any that is free
 * @throws Error that names the port when it is taken or not permitted.
 */
export const holdPort = async (port: number): Promise<HeldPort> => {
  const server = createServer((_request, response) => response.writeHead(503, { "retry-after": "1" }).end());
  const listening = await listen(server, port);
  return {
    url: listening.url,
    port: listening.port,
    async release() {
      if (server.listening) await listening.close();
    },
  };
};
