/**
 * Which addresses and URLs notifications may be sent to. Pure. guarded-request.ts checks the URL and every address of its
 * host before each attempt; the API checks the URL when a destination is created or changed.
 */
import ipaddr from "ipaddr.js";
import { MAX_URL_CHARACTERS } from "../destination.ts";

/** `loopback`: this machine is allowed as well, also by plain http. Only local runs have it. */
export type TargetPolicy = "public" | "loopback";

/** What a URL is checked against. `ownHosts`: the service's own hosts as `URL` writes them: with a port that is not the default. */
export type TargetRules = { policy: TargetPolicy; ownHosts: readonly string[] };

/**
 * The allocated global unicast addresses of IPv6. NAT64 and IPv4-compatible addresses lie outside.
 * https://www.iana.org/assignments/ipv6-address-space/ipv6-address-space.xhtml
 */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parse("2000::");
const GLOBAL_UNICAST_BITS = 3;

/**
 * Public addresses with a meaning inside a cloud: Azure answers its machines at the first one.
 * https://learn.microsoft.com/en-us/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const CLOUD_SERVICES = ["168.63.129.16"];

/**
 * Whether an address is global unicast: an address of the public internet. False for every other range of the registries
 * of special addresses (private, loopback, link-local, shared, documentation, benchmarking, multicast, …), for addresses
 * that contain an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), with a zone, and for texts that are no address.
 * https://www.iana.org/assignments/iana-ipv4-special-registry/ and https://www.iana.org/assignments/iana-ipv6-special-registry/
 */
export const isPublicAddress = (text: string): boolean => {
  if (text.includes("%") || CLOUD_SERVICES.includes(text)) return false;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).range() === "unicast";
  if (!ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.match(GLOBAL_UNICAST_IPV6, GLOBAL_UNICAST_BITS) && address.range() === "unicast";
};

/** `127.0.0.0/8` and `::1`. */
export const isLoopbackAddress = (text: string): boolean =>
  !text.includes("%") && ipaddr.isValid(text) && ipaddr.parse(text).range() === "loopback";

/** Whether a request may connect to the address. */
export const isAllowedAddress = (address: string, policy: TargetPolicy): boolean =>
  isPublicAddress(address) || (policy === "loopback" && isLoopbackAddress(address));

/** The address in a URL's host; undefined if the host is a name. @param hostname as `URL` writes it. */
export const addressInHost = (hostname: string): string | undefined => {
  const text = hostname.replace(/^\[(.*)\]$/, "$1");
  return ipaddr.isValid(text) ? text : undefined;
};

/** A host name without the dot that makes it absolute. */
const withoutRoot = (hostname: string): string => hostname.replace(/\.$/, "");

const withoutPort = (host: string): string => host.replace(/:\d+$/, "");

/** Whether the host is this machine by name: `localhost` and the names below it (RFC 6761, 6.3). */
export const isLocalhost = (hostname: string): boolean => /^(?:.+\.)?localhost$/.test(withoutRoot(hostname));

/**
 * Names of networks that are not public: RFC 6762 (`local`, and the list of its appendix G), RFC 8375 (`home.arpa`), and
 * the domain that ICANN reserves for private use (`internal`).
 * https://www.rfc-editor.org/rfc/rfc6762#appendix-G and https://www.icann.org/en/board-activities-and-meetings/materials/approved-resolutions-special-meeting-of-the-icann-board-29-07-2024-en
 */
const PRIVATE_DOMAIN = /(?:^|\.)(?:local|intranet|internal|private|corp|home|lan|home\.arpa)$/;

/**
 * `URL` would drop line breaks and tabs, and take a backslash for a slash. Other readers of the text could then see another
 * host than the one that is checked.
 */
const AMBIGUOUS = /[\p{Cc}\p{Z}\\]/u;

/** `URL` would also take `https:host` and `https:///host`. */
const WITH_AUTHORITY = /^[a-z]+:\/\/[^/]/i;

/**
 * 443, or a port that needs no privileges on most systems: a receiver of one's own often listens on 8443. The ports between
 * belong to other protocols, such as SMTP (25, 465), which the service must not be made to speak to.
 */
const isAllowedPort = (port: string): boolean => port === "" || Number(port) >= 1_024;

/** The URL, or why nothing is sent to it: a sentence part without the URL, which may be a secret. */
export type CheckedTarget = { url: URL; problem?: undefined } | { url?: undefined; problem: string };

/**
 * Checks all of a URL that can be checked without asking for addresses. `URL` writes every notation of an IPv4 address
 * (decimal, octal, hexadecimal, full-width digits, fewer parts) as four decimal numbers, so one check sees them all.
 */
export const checkTargetUrl = (text: string, { policy, ownHosts }: TargetRules): CheckedTarget => {
  if (text.length > MAX_URL_CHARACTERS) return { problem: `must have at most ${MAX_URL_CHARACTERS} characters` };
  if (AMBIGUOUS.test(text) || !WITH_AUTHORITY.test(text) || !URL.canParse(text)) {
    return { problem: "must be a complete URL without spaces and backslashes" };
  }
  const url = new URL(text);
  const { protocol, hostname, username, password, port } = url;
  const address = addressInHost(hostname);
  const isHere = policy === "loopback" && (address === undefined ? isLocalhost(hostname) : isLoopbackAddress(address));
  if (protocol !== "https:" && !(protocol === "http:" && isHere)) return { problem: "must begin with https://" };
  if (username !== "" || password !== "") return { problem: "must not contain a user name or a password" };
  if (!isAllowedPort(port)) return { problem: "must use port 443, or a port from 1024 on" };
  const own = { problem: "must not be an address of this service" };
  if (isHere) return ownHosts.includes(url.host) ? own : { url };
  if (address !== undefined) {
    return isPublicAddress(address) ? { url } : { problem: "must have a host on the public internet" };
  }
  const name = withoutRoot(hostname);
  // An empty label (`a..b`) is no name of a host.
  if (!name.includes(".") || name.split(".").includes("") || isLocalhost(name) || PRIVATE_DOMAIN.test(name)) {
    return { problem: "must have a host on the public internet" };
  }
  // On whatever port: no other service listens at the name.
  return ownHosts.some((host) => withoutPort(host) === name) ? own : { url };
};
