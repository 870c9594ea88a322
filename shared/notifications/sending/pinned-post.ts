/** The connection of a guarded request: it goes to the checked addresses only, and reads a bounded answer. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { addressInHost } from "./public-address.ts";
import { codeOf, GuardedRequestError, type RequestFailure } from "./request-failure.ts";

/** What is read of an answer. The rest is not waited for. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;

/** An answer of any status. `retryAfter`: the header as it was sent. `body`: the first 64 KB at most, as text. */
export type GuardedAnswer = { status: number; retryAfter?: string; body: string };

export type RequestContent = { headers: Readonly<Record<string, string>>; body: string };

/** Hands out the checked addresses, whatever the name resolves to by now. Node tries one after the other. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const [first] = found;
    if (options.all === true) callback(null, found);
    else if (first === undefined) callback(new Error("There is no checked address."), "");
    else callback(null, first.address, first.family);
  };

/** OpenSSL's and Node's codes of failed handshakes and refused certificates. https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const TLS_ERROR =
  /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_CERT_|INVALID_|HOSTNAME_MISMATCH|EPROTO)/;

/** llhttp's codes of answers that are not HTTP, or whose headers are too large. */
const PARSER_ERROR = /^HPE_/;

/** @param isConnected whether the connection was ready for the request. */
const failureOf = (error: unknown, isConnected: boolean): RequestFailure => {
  const code = codeOf(error);
  if (PARSER_ERROR.test(code)) return "answer_invalid";
  if (TLS_ERROR.test(code)) return "tls_failed";
  return isConnected ? "connection_lost" : "not_connected";
};

/** The answer's body until its end, the limit, the signal, or an early close: its status is known already. */
const readBody = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      const part = Buffer.from(chunk).subarray(0, MAX_ANSWER_BYTES - bytes);
      chunks.push(part);
      bytes += part.length;
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // What was read until then is enough for the log.
  }
  return Buffer.concat(chunks).toString("utf8");
};

/** Where a request goes: all addresses must have been checked. */
export type PinnedTarget = {
  url: URL;
  addresses: readonly string[];
  /** Trusted in place of the public certificate authorities; PEM. For tests. */
  trustedCertificates?: readonly string[] | undefined;
};

/**
 * Posts to one of the addresses, whatever the URL's name resolves to by now.
 * @param signal ends everything, until the last byte of the answer.
 * @throws GuardedRequestError.
 */
export const postPinned = (
  { url, addresses, trustedCertificates }: PinnedTarget,
  { headers, body }: RequestContent,
  signal: AbortSignal,
): Promise<GuardedAnswer> =>
  new Promise((settle, reject) => {
    const isSecure = url.protocol === "https:";
    const content = Buffer.from(body, "utf8");
    const shared = {
      method: "POST",
      host: addressInHost(url.hostname) ?? url.hostname,
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, "content-length": content.length, "accept-encoding": "identity" },
      lookup: pinnedTo(addresses),
      autoSelectFamily: true,
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
      signal,
    };
    const sent: ClientRequest = isSecure
      ? httpsRequest({
          ...shared,
          // Neither an agent nor a proxy of the process: its environment changes nothing here.
          agent: new HttpsAgent({ keepAlive: false }),
          // Server Name Indication has neither addresses nor a final dot (RFC 6066, 3).
          servername: addressInHost(url.hostname) === undefined ? url.hostname.replace(/\.$/, "") : "",
          rejectUnauthorized: true,
          minVersion: "TLSv1.2",
          ...(trustedCertificates !== undefined && { ca: [...trustedCertificates] }),
        })
      : httpRequest({ ...shared, agent: new HttpAgent({ keepAlive: false }) });
    let isConnected = false;
    sent.once("socket", (socket) => {
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        isConnected = true;
      });
    });
    const fail = (cause: Error) =>
      reject(new GuardedRequestError(signal.aborted ? "timed_out" : failureOf(cause, isConnected), { cause }));
    const lose = () => reject(new GuardedRequestError("connection_lost"));
    sent.on("error", fail);
    // Without an error, as after an upgrade to another protocol, which Node ends by closing.
    sent.on("close", lose);
    sent.once("response", (response) => {
      // The status decides from here on. What follows of the answer is for the log only.
      sent
        .off("error", fail)
        .off("close", lose)
        .on("error", () => undefined);
      void readBody(response).then((text) => {
        sent.destroy();
        const { "retry-after": retryAfter } = response.headers;
        settle({ status: response.statusCode ?? 0, ...(retryAfter !== undefined && { retryAfter }), body: text });
      });
    });
    sent.end(content);
  });
