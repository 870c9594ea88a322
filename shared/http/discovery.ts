/**
 * The documents that an issuer publishes (OpenID Connect Discovery): their addresses, and how they are fetched.
 * https://openid.net/specs/openid-connect-discovery-1_0.html
 */
import http from "node:http";
import https from "node:https";

/** The keys could not be fetched or read, so tokens can be judged neither valid nor invalid. */
export class KeySetUnavailableError extends Error {
  /** Seconds until a token may be judged; undefined if that is not known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const isLoopback = (url: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);

/** What the issuer publishes is fetched over TLS; over plain HTTP only from the loopback address. */
export const requireSafeUrl = (text: string): URL => {
  const url = new URL(text);
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return url;
  throw new KeySetUnavailableError(`${url.protocol}//${url.host} is neither https nor loopback`);
};

/** The address of an issuer's discovery document; also the name under which its keys are cached. */
export const discoveryUrl = (issuer: string): string => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;

const MAX_BYTES = 256 * 1024;

type Answer = { status: number | undefined; bytes: Buffer };

const get = (url: URL, timeoutMs: number): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === "http:" ? http : https;
    const sent = request(url, { signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BYTES) sent.destroy(new Error(`${url.host} answered with more than ${MAX_BYTES} bytes`));
      });
      response.once("end", () => resolve({ status: response.statusCode, bytes: Buffer.concat(chunks) }));
      response.once("error", reject);
    });
    sent.once("error", reject).end();
  });

/**
 * Fetches a small document, such as a key set. Tries twice, because a kept connection may be stale.
 * @param timeoutMs for each of the two attempts as a whole.
 * @throws Error if no answer comes, or an answer other than 200.
 */
export const fetchDocument = async (url: URL, timeoutMs: number): Promise<ArrayBuffer> => {
  const { status, bytes } = await get(url, timeoutMs).catch(() => get(url, timeoutMs));
  if (status !== 200) throw new Error(`${url.host} answered with status ${status}`);
  return new Uint8Array(bytes).buffer;
};
