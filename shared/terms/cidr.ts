/** Networks, as of IP allowlists. cidr-text.ts has the schema of their texts. Pure. */
import { type IpAddress, isMapped, parseIpAddress, unmapped } from "./ip-address.ts";

const CIDR = /^([0-9A-Fa-f:.]{2,45})\/(0|[1-9][0-9]{0,2})$/;

/** The number of bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX = 96;

/** An address, and the number of leading bits that all addresses of the network share. */
type Network = IpAddress & { prefix: number };

const parseCidr = (text: string): Network | undefined => {
  const [, spelled = "", digits] = CIDR.exec(text) ?? [];
  const address = parseIpAddress(spelled);
  const prefix = Number(digits);
  if (address === undefined || prefix > address.bits) return undefined;
  if (!isMapped(address)) return { ...address, prefix };
  // A shorter prefix would include addresses that are not IPv4-mapped.
  return prefix < MAPPED_PREFIX ? undefined : { ...unmapped(address), prefix: prefix - MAPPED_PREFIX };
};

/** An address as the network that contains only this address. */
const parseAddress = (text: string): Network | undefined => {
  const address = parseIpAddress(text);
  return address && { ...unmapped(address), prefix: unmapped(address).bits };
};

const contains = (outer: Network, inner: Network): boolean => {
  if (outer.bits !== inner.bits || outer.prefix > inner.prefix) return false;
  const shift = BigInt(outer.bits - outer.prefix);
  return inner.value >> shift === outer.value >> shift;
};

/** Whether an address is in one of the networks. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export const isInNetworks = (ipAddress: string, cidrs: readonly string[]): boolean => {
  const address = parseAddress(ipAddress);
  if (address === undefined) return false;
  return cidrs.some((cidr) => {
    const network = parseCidr(cidr);
    return network !== undefined && contains(network, address);
  });
};

/** A matcher remembers this many addresses. */
const MAX_REMEMBERED = 10_000;

/**
 * The same for many addresses: networks are parsed once, and each address is compared once.
 * @returns whether one of the networks contains an address, or a network (a CIDR) as a whole.
 */
export const createNetworkMatcher = (cidrs: readonly string[]): ((addressOrNetwork: string) => boolean) => {
  const networks = cidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
  const remembered = new Map<string, boolean>();
  return (text) => {
    const before = remembered.get(text);
    if (before !== undefined) return before;
    const inner = parseAddress(text) ?? parseCidr(text);
    const isInside = inner !== undefined && networks.some((network) => contains(network, inner));
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(text, isInside);
    return isInside;
  };
};
