/**
 * The connections to the provider that an instance keeps. Node's own client rather than fetch: it is loaded anyway, and
 * the first fetch of an instance would take 40 ms to load.
 */
/**
 * The SDK's way onto the wire, for one request. The SDK has no place for an abort signal, and repeats a request once
 * after a connection was reset even with its retries off; this client gives up when the signal says so, and hides from
 * the SDK what kind of error it was, which makes one call one request.
 */

import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type Stripe from "stripe";
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

/** A page of a hundred objects has about a megabyte. */
const MAX_BODY_BYTES = 32 * 1_024 * 1_024;

/** What became of the request. `failure`: why there is no answer, or none that can be read. */
export type Exchange = {
  sentAt: number;
  receivedAt: number;
  status?: number;
  headers: IncomingHttpHeaders;
  failure?: "not_sent" | "timeout" | "invalid_json" | "too_large" | (string & {});
};

/** What the SDK hears of any failure. */
class NoAnswer extends Error {}

const readBody = async (message: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
  }
  return Buffer.concat(chunks).toString();
};

/** The object that a text is in JSON. Whatever else it is, the SDK could not bear it. */
const parseObject = (body: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "connection_error";

const headersForNode = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

const headersForSdk = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    // The SDK would print a notice on standard error.
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === "stripe-notice" ? [] : [[name, String(value)]],
    ),
  );

/** A client for one request, and what became of that request. */
export const createWireClient = (connections: Connections, signal: AbortSignal, clock: Clock) => {
  const exchange: Exchange = { sentAt: clock(), receivedAt: clock(), headers: {}, failure: "not_sent" };

  const fail = (why: string): never => {
    exchange.failure = signal.aborted ? "timeout" : why;
    throw new NoAnswer();
  };

  const answerOf = async (message: IncomingMessage): Promise<Stripe.HttpClientResponse> => {
    exchange.status = message.statusCode ?? 0;
    exchange.headers = message.headers;
    const text = await readBody(message).catch((error: unknown) => fail(codeOf(error)));
    exchange.receivedAt = clock();
    const body = text === undefined ? undefined : parseObject(text);
    if (body === undefined) exchange.failure = text === undefined ? "too_large" : "invalid_json";
    else delete exchange.failure;
    return {
      getStatusCode: () => exchange.status ?? 0,
      getHeaders: () => headersForSdk(message.headers),
      getRawResponse: () => ({}),
      toStream: () => message,
      toJSON: async () => body ?? fail(exchange.failure ?? "invalid_json"),
    };
  };

  const client: Stripe.HttpClient = {
    getClientName: () => "node",
    async makeRequest(_host, _port, path, method, headers, body) {
      if (exchange.failure !== "not_sent") throw new NoAnswer("One call is one request.");
      exchange.sentAt = clock();
      let sending: Promise<IncomingMessage>;
      try {
        sending = connections.send({ method, path, headers: headersForNode(headers), body, signal });
      } catch {
        return fail("not_sent");
      }
      exchange.failure = "connection_error";
      return answerOf(await sending.catch((error: unknown) => fail(codeOf(error))));
    },
  };
  return { client, exchange };
};
