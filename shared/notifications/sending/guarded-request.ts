/**
 * Sends one request to an address that a user chose, so that the request cannot reach inside the network. The URL is
 * checked, its host is resolved, every address is checked, and the connection goes to one of the checked addresses: a name
 * that resolves differently a moment later (DNS rebinding) changes nothing. Redirects are never followed. One time limit
 * covers everything, from the question for the addresses to the last byte of the answer.
 * Threats: docs/threat-model.md, "Notifications". Guidance followed:
 * https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
 */
import { Resolver } from "node:dns/promises";
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import {
  addressInHost,
  checkTargetUrl,
  isAllowedAddress,
  isLocalhost,
  isLoopbackAddress,
  type TargetRules,
} from "./public-address.ts";

/** For resolving, connecting, TLS, sending and the answer together. */
const TIMEOUT_MS = 10_000;
/** What is read of an answer. The rest is not waited for. */
const MAX_ANSWER_BYTES = 64 * 1_024;
const MAX_HEADER_BYTES = 16 * 1_024;

/** A name with more addresses than this is refused: each address would be tried. */
const MAX_ADDRESSES = 16;

/** Why a request got no answer. docs/notifications.md, "Tries", explains each. */
export const requestFailures = [
  "refused_url",
  "refused_address",
  "name_not_resolved",
  "not_connected",
  "tls_failed",
  "timed_out",
  "answer_invalid",
  "connection_lost",
] as const;
export type RequestFailure = (typeof requestFailures)[number];

/** A request without an answer. Neither message nor cause contains the URL, which may be a secret. */
export class GuardedRequestError extends Error {
  override name = "GuardedRequestError";
  readonly failure: RequestFailure;

  constructor(failure: RequestFailure, options?: { cause: unknown }) {
    super(`The request failed: ${failure}.`, options);
    this.failure = failure;
  }
}

/** An answer of any status. `retryAfter`: the header as it was sent. `body`: the first 64 KB at most, as text. */
export type GuardedAnswer = { status: number; retryAfter?: string; body: string };

/** All addresses of a host, IPv4 and IPv6; empty if there are none. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export type GuardedRequest = (request: {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}) => Promise<GuardedAnswer>;

type Dependencies = {
  rules: TargetRules;
  resolve?: ResolveHost;
  /** Trusted in place of the public certificate authorities; PEM. For tests. */
  trustedCertificates?: readonly string[];
  timeoutMs?: number;
};

/** What DNS answers for a name without addresses of one family, or without any. */
const NO_ADDRESSES = ["ENODATA", "ENOTFOUND"];

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

/**
 * Asks the name servers, not the operating system: its resolver would read the hosts file, append search domains, and
 * block the threads that other work of the function needs while a slow name server does not answer.
 */
const resolveWithDns: ResolveHost = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [ipv4, ipv6].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const failed = [ipv4, ipv6].find(
      (answer) => answer.status === "rejected" && !NO_ADDRESSES.includes(codeOf(answer.reason)),
    );
    // Some name servers fail for the family that they do not know. The addresses that were found are checked all the same.
    if (found.length === 0 && failed?.status === "rejected") throw failed.reason;
    return found;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
};

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

/** A sender of requests. Connections are not kept, so none is ever used for another host. */
export const createGuardedRequest = ({
  rules,
  resolve = resolveWithDns,
  trustedCertificates,
  timeoutMs = TIMEOUT_MS,
}: Dependencies): GuardedRequest => {
  /** The addresses that the request may connect to: all addresses of the host. */
  const addressesOf = async ({ hostname, protocol }: URL, signal: AbortSignal): Promise<readonly string[]> => {
    const own = addressInHost(hostname);
    // "localhost" is always this machine (RFC 6761, 6.3); only local runs get here with it.
    const found = own !== undefined ? [own] : isLocalhost(hostname) ? ["127.0.0.1", "::1"] : undefined;
    const addresses = found ?? (await resolve(hostname, signal));
    if (addresses.length === 0) throw new GuardedRequestError("name_not_resolved");
    const isAllowed = (address: string) =>
      isAllowedAddress(address, rules.policy) && (protocol === "https:" || isLoopbackAddress(address));
    if (addresses.length > MAX_ADDRESSES || !addresses.every(isAllowed))
      throw new GuardedRequestError("refused_address");
    return addresses;
  };

  /** Posts to one of the addresses. */
  const post = (
    url: URL,
    addresses: readonly string[],
    { headers, body }: Omit<Parameters<GuardedRequest>[0], "url">,
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

  /**
   * Posts a body. @returns the answer, whatever its status.
   * @throws GuardedRequestError.
   */
  return async ({ url: text, ...request }) => {
    const { url } = checkTargetUrl(text, rules);
    if (url === undefined) throw new GuardedRequestError("refused_url");
    const signal = AbortSignal.timeout(timeoutMs);
    let addresses: readonly string[];
    try {
      addresses = await untilAborted(addressesOf(url, signal), signal);
    } catch (error) {
      if (error instanceof GuardedRequestError) throw error;
      throw new GuardedRequestError(signal.aborted ? "timed_out" : "name_not_resolved");
    }
    return post(url, addresses, request, signal);
  };
};

/** The result of work, or an error as soon as the signal is aborted. */
const untilAborted = async <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new GuardedRequestError("timed_out"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};
