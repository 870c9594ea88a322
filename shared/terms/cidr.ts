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

/** Whether an address is in one of the networks. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export const isInNetworks = (ipAddress: string, cidrs: readonly string[]): boolean => {
  const spelled = parseIpAddress(ipAddress);
  if (spelled === undefined) return false;
  const { bits, value } = unmapped(spelled);
  return cidrs.some((cidr) => {
    const network = parseCidr(cidr);
    if (network === undefined || network.bits !== bits) return false;
    const shift = BigInt(bits - network.prefix);
    return value >> shift === network.value >> shift;
  });
};
