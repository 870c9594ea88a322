/**
 * The HTTP client that the SDK uses, for one request each. The SDK takes no abort signal, and repeats a request once
 * after a connection reset even without retries. This client aborts with the signal, hides the kind of errors from the
 * SDK, and sends at most one request.
 */
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type Stripe from "stripe";
import type { Clock } from "../../runtime/clock.ts";

/**
 * The other side closes the connections of a frozen instance, which does not notice; the next request on one would fail.
 * So a connection is not reused after this time.
 */
const MAX_IDLE_MS = 4_000;

const MAX_SOCKETS = 16;

export type OutgoingRequest = {
  method: string;
  /** With the query; appended to the base's own path. */
  path: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
};

export type Connections = ReturnType<typeof createConnections>;

/**
 * An instance's connections to the provider. Node's own client is loaded anyway; the first `fetch` takes 40 ms to load.
 * @param base the provider's URL; plain HTTP is allowed.
 */
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
     * Sends one request, without retries.
     * @throws Node's error: at once if a header is invalid, else as a rejection.
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
        // Not `once`: an error after the response fails the reading of the body; unhandled, it would end the process.
        request.on("error", reject);
        request.end(body);
      });
    },
  };
};

/** A page of 100 objects has about 1 MB. */
const MAX_BODY_BYTES = 32 * 1_024 * 1_024;

/** How the request went. `failure`: why there is no answer, or no readable one. */
export type Exchange = {
  sentAt: number;
  receivedAt: number;
  status?: number;
  headers: IncomingHttpHeaders;
  failure?: "not_sent" | "timeout" | "invalid_json" | "too_large" | (string & {});
};

/** The only error that the SDK sees. */
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

/** The JSON object of a text; undefined for other JSON, which the SDK cannot handle. */
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
    // The SDK prints the header stripe-notice on standard error.
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === "stripe-notice" ? [] : [[name, String(value)]],
    ),
  );

/** A client for one request, and how that request went. */
export const createWireClient = (connections: Connections, signal: AbortSignal, clock: Clock) => {
  const exchange: Exchange = { sentAt: clock(), receivedAt: clock(), headers: {}, failure: "not_sent" };

  const fail = (reason: string): never => {
    exchange.failure = signal.aborted ? "timeout" : reason;
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
      if (exchange.failure !== "not_sent") throw new NoAnswer("This client sends one request only.");
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
