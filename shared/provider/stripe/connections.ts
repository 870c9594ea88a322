/**
 * The connections to the provider that an instance keeps. Node's own client rather than fetch: it is loaded anyway, and
 * the first fetch of an instance would take 40 ms to load.
 */
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Clock } from "../../runtime/clock.ts";

/**
 * An instance that was frozen finds its connections closed by the other side without having heard of it, and the first
 * request would fail on one. So none is used again after this long.
 */
const MAX_IDLE_MS = 4_000;

const MAX_SOCKETS = 16;

export type OutgoingRequest = {
  method: string;
  /** With its query; goes behind the base's own path. */
  path: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
};

export type Connections = ReturnType<typeof createConnections>;

/** @param base where the provider is; plain http is allowed. */
export const createConnections = (base: URL, clock: Clock) => {
  const isSecure = base.protocol === "https:";
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, maxSockets: MAX_SOCKETS })
    : new HttpAgent({ keepAlive: true, maxSockets: MAX_SOCKETS });
  const prefix = base.pathname.replace(/\/+$/, "");
  let lastUsedAt = clock();

  const closeIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  };

  return {
    /**
     * Sends one request, and never a second one in its place.
     * @throws Node's error: before anything was sent where a header cannot stand, else as a rejection.
     */
    send({ method, path, headers, body, signal }: OutgoingRequest): Promise<IncomingMessage> {
      const now = clock();
      if (now - lastUsedAt > MAX_IDLE_MS || now < lastUsedAt) closeIdle();
      lastUsedAt = now;
      const request = (isSecure ? requestHttps : requestHttp)({
        agent,
        protocol: base.protocol,
        hostname: base.hostname.replace(/^\[|\]$/g, ""),
        port: base.port,
        path: prefix + path,
        method,
        headers,
        signal,
      });
      return new Promise((resolve, reject) => {
        request.once("response", resolve);
        // Stays: an error after the answer reaches the reader of the body, and must not end the process here.
        request.on("error", reject);
        request.end(body);
      });
    },
  };
};
