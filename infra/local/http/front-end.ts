import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** A request as received, before a front end of AWS makes an event of it. */
export type WireRequest = {
  method: string;
  /** The request target, undecoded: path and query. */
  target: string;
  httpVersion: string;
  /** Names and values by turns, as sent. */
  rawHeaders: readonly string[];
  /** Undefined if the request has none. */
  body: Buffer | undefined;
  sourceIp: string;
};

/** The first value of a header; the name in lower case. */
export const headerOf = ({ rawHeaders }: WireRequest, name: string): string | undefined => {
  const index = rawHeaders.findIndex((text, position) => position % 2 === 0 && text.toLowerCase() === name);
  return index === -1 ? undefined : rawHeaders[index + 1];
};

/** Path and query of a request target, both encoded. */
export const splitTarget = (target: string): { path: string; query: string } => {
  const at = target.indexOf("?");
  return at === -1 ? { path: target, query: "" } : { path: target.slice(0, at), query: target.slice(at + 1) };
};

export type WireResponse = {
  statusCode: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: Buffer;
};

export type FrontEndOptions = {
  maxBodyBytes: number;
  /** Bound on the request line and all header values together. */
  maxHeaderBytes: number;
  answer: (request: WireRequest) => Promise<WireResponse>;
  /** The time of the header `Date`, epoch ms; by default this machine's. */
  now?: () => number;
  /** Called for an unexpected error, which is answered 500. */
  onError: (error: unknown) => void;
};

/** An answer of the front end itself, in the shape of API Gateway's own. */
export const ownAnswer = (statusCode: number, message: string): WireResponse => ({
  statusCode,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify({ message })),
});

/** The HTTP side that an HTTP API and a Lambda URL share: limits, bodies, aborted requests. It does not listen yet. */
export const createFrontEnd = (options: FrontEndOptions): Server => {
  const { maxBodyBytes, maxHeaderBytes, answer, now = Date.now, onError } = options;
  const serve = async (message: IncomingMessage): Promise<WireResponse | undefined> => {
    const body = await readBody(message, maxBodyBytes);
    if (body === "aborted") return undefined;
    if (headerBytes(message) > maxHeaderBytes) return ownAnswer(431, "Request Header Fields Too Large");
    if (body === "too large") return ownAnswer(413, "Request Entity Too Large");
    return answer({
      method: message.method ?? "GET",
      target: message.url ?? "/",
      httpVersion: message.httpVersion,
      rawHeaders: message.rawHeaders,
      body,
      sourceIp: message.socket.remoteAddress ?? "127.0.0.1",
    });
  };
  const server = createServer(
    // Twice the limit of headers, so that we answer 431 to a request slightly over it.
    { maxHeaderSize: 2 * maxHeaderBytes, keepAliveTimeout: 60_000 },
    async (message, response) => {
      response.setHeader("date", new Date(now()).toUTCString());
      try {
        const reply = await serve(message);
        if (reply) write(response, reply);
      } catch (error) {
        onError(error);
        if (!response.headersSent) write(response, ownAnswer(500, "Internal Server Error"));
      }
    },
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return;
    const [status, text] =
      error.code === "HPE_HEADER_OVERFLOW" ? [431, "Request Header Fields Too Large"] : [400, "Bad Request"];
    const body = JSON.stringify({ message: text });
    socket.end(
      `HTTP/1.1 ${status} ${text}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  return server;
};

const headerBytes = (message: IncomingMessage) => {
  const line = `${message.method} ${message.url} HTTP/${message.httpVersion}`.length;
  return message.rawHeaders.reduce((sum, text) => sum + text.length, line);
};

const readBody = async (message: IncomingMessage, maxBytes: number) => {
  const { "content-length": length, "transfer-encoding": encoding } = message.headers;
  let chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message) {
      size += chunk.length;
      // Read on to the end, or the client would see a reset connection in place of the answer.
      if (size > maxBytes) chunks = [];
      else chunks.push(chunk);
    }
  } catch {
    return "aborted";
  }
  if (size > maxBytes) return "too large";
  return size === 0 && length === undefined && encoding === undefined ? undefined : Buffer.concat(chunks);
};

const write = (response: ServerResponse, { statusCode, headers, body }: WireResponse) => {
  if (response.destroyed) return;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (statusCode !== 204 && statusCode !== 304) response.setHeader("content-length", body.length);
  response.statusCode = statusCode;
  response.end(body);
};
