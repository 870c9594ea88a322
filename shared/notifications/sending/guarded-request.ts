/**
 * Sends one request to an address that a user chose, so that the request cannot reach inside the network. The URL is
 * checked, its host is resolved, every address is checked, and the connection goes to one of the checked addresses: a name
 * that resolves differently a moment later (DNS rebinding) changes nothing. Redirects are never followed. One time limit
 * covers everything, from the question for the addresses to the last byte of the answer.
 * Threats: docs/threat-model.md, "Notifications". Guidance followed:
 * https://cheatsheetseries.owasp.org/cheatsheets/Server_Side_Request_Forgery_Prevention_Cheat_Sheet.html
 */
import { Resolver } from "node:dns/promises";
import { type GuardedAnswer, postPinned, type RequestContent } from "./pinned-post.ts";
import {
  addressInHost,
  checkTargetUrl,
  isAllowedAddress,
  isLocalhost,
  isLoopbackAddress,
  type TargetRules,
} from "./public-address.ts";
import { codeOf, GuardedRequestError } from "./request-failure.ts";

/** For resolving, connecting, TLS, sending and the answer together. */
const TIMEOUT_MS = 10_000;
/** A name with more addresses than this is refused: each address would be tried. */
const MAX_ADDRESSES = 16;

/** All addresses of a host, IPv4 and IPv6; empty if there are none. */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export type GuardedRequest = (request: RequestContent & { url: string }) => Promise<GuardedAnswer>;

type Dependencies = {
  rules: TargetRules;
  resolve?: ResolveHost;
  /** Trusted in place of the public certificate authorities; PEM. For tests. */
  trustedCertificates?: readonly string[];
  /** Makes the signal that ends a request, answer included. For tests. */
  limit?: () => AbortSignal;
};

/** What DNS answers for a name without addresses of one family, or without any. */
const NO_ADDRESSES = ["ENODATA", "ENOTFOUND"];

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

/** A sender of requests. Connections are not kept, so none is ever used for another host. */
export const createGuardedRequest = ({
  rules,
  resolve = resolveWithDns,
  trustedCertificates,
  limit = () => AbortSignal.timeout(TIMEOUT_MS),
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

  /**
   * Posts a body. @returns the answer, whatever its status.
   * @throws GuardedRequestError.
   */
  return async ({ url: text, ...request }) => {
    const { url } = checkTargetUrl(text, rules);
    if (url === undefined) throw new GuardedRequestError("refused_url");
    const signal = limit();
    let addresses: readonly string[];
    try {
      addresses = await untilAborted(addressesOf(url, signal), signal);
    } catch (error) {
      if (error instanceof GuardedRequestError) throw error;
      throw new GuardedRequestError(signal.aborted ? "timed_out" : "name_not_resolved");
    }
    return postPinned({ url, addresses, trustedCertificates }, request, signal);
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
