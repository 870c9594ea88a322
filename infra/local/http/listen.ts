import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { portHolder } from "./port-holder.ts";

/** A server that listens on loopback; `url` has no trailing slash. */
export type Listening = {
  url: string;
  port: number;
  /** Accepts no new requests, waits for active requests up to the given time, then closes their connections. */
  close(graceMs?: number): Promise<void>;
};

/**
 * @param port 0 for any that is free
 * @throws Error that names the port when it is taken or not permitted.
 */
export const listen = async (server: Server, port: number): Promise<Listening> => {
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    throw await refusal(error, port);
  }
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server listens on no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    async close(graceMs = 0) {
      const closed = once(server, "close");
      server.close();
      // Repeated, because a connection becomes idle only after its last answer.
      const sweeper = setInterval(() => server.closeIdleConnections(), 10);
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(sweeper);
      clearTimeout(timer);
    },
  };
};

/** How many ports above a taken one are tried for the suggestion. */
const SUGGESTIONS = 20;

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
};

const freePortAfter = async (port: number): Promise<number | undefined> => {
  for (let candidate = port + 1; candidate <= Math.min(port + SUGGESTIONS, 65_535); candidate++)
    if (await isFree(candidate)) return candidate;
  return undefined;
};

const refusal = async (error: unknown, port: number): Promise<unknown> => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (code !== "EADDRINUSE" && code !== "EACCES") return error;
  const suggested = code === "EACCES" ? 3000 : await freePortAfter(port);
  const choose = `choose another with the environment variable PORT, such as PORT=${suggested ?? "…"}`;
  if (code === "EACCES") return new Error(`port ${port} is not permitted: ${choose}`);
  const holder = portHolder(port);
  return holder === undefined
    ? new Error(`port ${port} is taken: stop what listens there, or ${choose}`)
    : new Error(`port ${port} is taken by ${holder}: stop it, or ${choose}`);
};

/** A port that is held until `release`, which may be called twice. */
export type HeldPort = Pick<Listening, "url" | "port"> & { release(): Promise<void> };

/**
 * Holds a port for a server whose URL must be known before it starts. Until then requests are answered 503.
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
